import Foundation
import TestSupport

/// PgBouncer before the tests' server: a few connections to it for all clients. The last one that was used is used next.
final class Pooler {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    /// The address for libpq, and the path of the socket.
    let address: String
    let socket: String
    private var process = Process()
    private var ending: ProcessEnd?
    private let folder: URL
    private let port: String
    private let size: Int

    /// - Parameters:
    ///   - mode: the unit for which a client keeps a connection: a `session`, a `transaction` or a `statement`.
    ///   - size: the number of connections to the server.
    init(mode: String = "transaction", size: Int = 4) async throws {
        folder = URL(filePath: try Server.folder()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        port = try Server.port()
        self.size = size
        address = "postgresql://storage@/postgres?host=\(folder.path)&port=\(port)"
        socket = folder.appending(path: ".s.PGSQL.\(port)").path
        try await start(mode: mode)
    }

    /// Returns when it answers.
    func start(mode: String = "transaction") async throws {
        let settings = folder.appending(path: "pgbouncer.ini")
        try """
        [databases]
        postgres = host=\(try Server.folder()) port=\(port) dbname=postgres user=storage
        [pgbouncer]
        listen_port = \(port)
        unix_socket_dir = \(folder.path)
        auth_type = any
        pool_mode = \(mode)
        logfile = \(folder.path)/log
        default_pool_size = \(size)
        max_client_conn = 1000
        """.write(to: settings, atomically: true, encoding: .utf8)
        // As root it refuses to run.
        let isRoot = getuid() == 0
        process = Server.process(
            URL(filePath: "/usr/bin/env"),
            (isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [])
                + ["/usr/sbin/pgbouncer", "-q", settings.path])
        process.standardError = FileHandle.nullDevice
        ending = try process.start()
        try await eventually {
            guard process.isRunning else {
                let log = try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
                throw Server.ShellError(text: "no pooler: \(log ?? "")")
            }
            return (try? await Server.psql("SELECT 1", at: address)) != nil
        }
    }

    /// Ends it as if it were killed, and all its connections.
    func kill() async {
        // It may have been started with signals blocked.
        Foundation.kill(process.processIdentifier, SIGKILL)
        await ending?.wait()
    }

    func stop() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }
}
