internal import CPostgreSQL
internal import StorageDriver

/// The address of a server in one of the forms that libpq takes, checked before libpq connects.
struct ServerAddress {
    /// The value of libpq's `dbname`.
    let text: String
    private let parts: [String: String]

    /// - Parameter text: `postgresql://user@host:port/database` or `name=value` pairs.
    /// - Throws: `configuration` if libpq cannot read the address, or reads a part of a password as something else and would
    ///   show it in its messages. The error shows no part of the address.
    init(_ text: String) throws(StorageError) {
        self.text = text
        guard !text.utf8.contains(0), let parts = Self.parts(of: text) else {
            let hint =
                text.contains("?")
                ? "; options of the store, such as timeout, are properties here, and are allowed in PostgreSQLBackend(url:)"
                : ""
            throw StorageURL.error("libpq cannot read the address; write postgresql://user@host:port/database\(hint)")
        }
        self.parts = parts
        try requireEscapes()
    }

    /// The server and the database as a URL without a password.
    ///
    /// - Parameter options: parameters that override the address.
    func location(_ options: [(name: String, value: String)], schema: String) -> String {
        let parts = parts.merging(options.map { ($0.name, $0.value) }) { $1 }
        var host = parts["host"] ?? parts["hostaddr"] ?? ""
        var names: [String] = []
        if host.contains("/") {
            // A folder of sockets is no host of a URL.
            names.append("host=\(host)")
            host = ""
        }
        let user = parts["user"].map { "\($0)@" } ?? ""
        let ports = parts["port"].map { ":\($0)" } ?? ""
        names.append("schema=\(schema)")
        return "postgresql://\(user)\(host)\(ports)/\(parts["dbname"] ?? "")?\(names.joined(separator: "&"))"
    }

    /// Servers of which one takes writes.
    struct Candidates {
        let hosts: [Candidate]
        /// The time that each of them may take to accept a connection.
        let connectMilliseconds: Int
    }

    struct Candidate {
        let name: String
        let address: String
        let port: String
    }

    /// The servers of an address, or of libpq's environment, if it has several and wants the one that takes writes; nil
    /// otherwise.
    ///
    /// - Parameter options: parameters that override the address.
    func candidates(_ options: [(name: String, value: String)]) -> Candidates? {
        let parts = Self.defaults.merging(parts) { $1 }.merging(options.map { ($0.name, $0.value) }) { $1 }
        guard ["primary", "read-write"].contains(parts["target_session_attrs"]) else { return nil }
        func list(_ name: String) -> [String] {
            parts[name, default: ""].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count)
        func part(_ parts: [String], _ index: Int) -> String {
            parts.count == 1 || index < parts.count ? parts[parts.count == 1 ? 0 : index] : ""
        }
        guard count > 1 else { return nil }
        let hosts = (0..<count).map { index in
            Candidate(name: part(names, index), address: part(addresses, index), port: part(ports, index))
        }
        return Candidates(hosts: hosts, connectMilliseconds: Self.connectMilliseconds(parts))
    }

    /// The time that a server may take to accept a connection.
    static func connectMilliseconds(_ parts: [String: String]) -> Int {
        let seconds = parts["connect_timeout"].flatMap { Int($0) } ?? 10
        // libpq takes 0 for no limit, and 1 for 2.
        return (seconds > 0 ? min(max(seconds, 2), 86_400) : 86_400) * 1000
    }

    /// libpq's parameters as its environment has them.
    private static let defaults: [String: String] = {
        let defaults = PQconndefaults()
        defer { PQconninfoFree(defaults) }
        return texts(defaults)
    }()

    /// The values that libpq's parameters have, by their names.
    static func texts(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
        var texts: [String: String] = [:]
        guard var next = options else { return texts }
        while let name = next.pointee.keyword {
            if let value = next.pointee.val { texts[String(cString: name)] = String(cString: value) }
            next += 1
        }
        return texts
    }

    /// libpq ends a user's password at the first `@` and a port at the first `/`. The rest of a password without escapes would
    /// become a host, a port or a database, which the messages of libpq and of the server show.
    private func requireEscapes() throws(StorageError) {
        let ports = parts["port", default: ""].split(separator: ",")
        let isPortNumber = ports.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let hasPassword = parts["password"] != nil || text.contains { $0 == ":" }
        let isURL = text.hasPrefix("postgres")
        let isSplit =
            parts["host", default: ""].contains("@") || hasPassword && parts["dbname", default: ""].contains("@")
        guard isPortNumber, !isURL || !isSplit else {
            throw StorageURL.error(
                "the address is split in the middle of a password, or its port is no number; in a password write @ as %40, "
                    + "/ as %2F, ? as %3F and % as %25")
        }
    }

    /// The parameters that an address names, by libpq's names; nil if libpq cannot read it.
    private static func parts(of text: String) -> [String: String]? {
        // The message may have the whole address, so it is not shown.
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        return options.map(texts)
    }

    /// libpq's parameters, which may also be options. The URL has the database, and the encoding is not to be chosen.
    static let keywords: [(name: String, isSecret: Bool)] = {
        guard let defaults = PQconndefaults() else { return [] }
        defer { PQconninfoFree(defaults) }
        var keywords: [(String, Bool)] = []
        var next = defaults
        while let name = next.pointee.keyword {
            // libpq marks secrets with an asterisk.
            let isSecret = next.pointee.dispchar?.pointee == CChar(UInt8(ascii: "*"))
            let name = String(cString: name)
            if !["dbname", "client_encoding", "options", "replication"].contains(name) {
                keywords.append((name, isSecret))
            }
            next += 1
        }
        return keywords
    }()
}
