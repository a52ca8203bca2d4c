import Hummingbird
import Logging

/// A server of pages of one store, for the person who started it.
public struct BrowserServer: Sendable {
    private let store: ShownStore
    private let announce: @Sendable (_ address: String) -> Void

    /// - Parameters:
    ///   - store: the store to show.
    ///   - announce: is called with the address to open, when the server listens.
    public init(_ store: ShownStore, announce: @escaping @Sendable (_ address: String) -> Void) {
        self.store = store
        self.announce = announce
    }

    /// Listens on a port of 127.0.0.1 that the system chooses, until the process is asked to end.
    public func run() async throws {
        var logger = Logger(label: "storage-browser")
        logger.logLevel = .critical
        let site = LateSite()
        let application = Application(
            responder: site, configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { [store, announce] channel in
                guard let port = channel.localAddress?.port else { return }
                let opened = Site(store, port: port)
                site.open(opened)
                announce("http://127.0.0.1:\(port)\(opened.door.entrance)")
            }, logger: logger)
        try await application.runService()
        try await store.close()
    }
}
