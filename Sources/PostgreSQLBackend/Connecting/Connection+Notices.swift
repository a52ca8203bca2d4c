internal import CPostgreSQL
internal import StorageDriver

extension Connection {
    /// The socket on which notifications arrive.
    var socket: Int32 { PQsocket(handle) }

    /// The texts of the notices that have arrived. A lost connection is noticed too, also after the server's last
    /// message.
    func notices() -> [String] {
        if !isAlive() { _ = lost("LISTEN") }
        var texts: [String] = []
        while let notice = PQnotifies(handle) {
            texts.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return texts
    }
}
