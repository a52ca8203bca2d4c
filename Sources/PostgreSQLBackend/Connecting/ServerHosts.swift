internal import StorageDriver

/// Servers that an option names beside the server of the address: `db1.example.com,db2.example.com:5433`, or the folders of
/// their sockets.
package struct ServerHosts: Sendable, Equatable {
    package struct Host: Sendable, Equatable {
        package let name: String
        /// Nil for the port of the address.
        let port: UInt16?
    }

    package let hosts: [Host]

    /// Nil if the text has a host without a name, or a port that is no number.
    init?(_ text: String) {
        var hosts: [Host] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let host = Host(part) else { return nil }
            hosts.append(host)
        }
        self.hosts = hosts
    }
}

extension ServerHosts.Host {
    fileprivate init?(_ text: Substring) {
        var name = text
        var port: UInt16?
        // The colons of an address of IPv6 are within brackets.
        let colon = text.lastIndex(of: ":").flatMap { colon in
            text.lastIndex(of: "]").map { $0 < colon } ?? true ? colon : nil
        }
        if let colon {
            guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
            (name, port) = (text[..<colon], number)
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty, !name.contains("@"), !name.contains("\0") else { return nil }
        self.init(name: String(name), port: port)
    }
}

extension ConnectionParameters {
    /// The same but for the servers.
    func at(_ hosts: [ServerHosts.Host]) -> ConnectionParameters {
        // An empty network address counts as unset. One port for all stays, unless a host names a port.
        var own = [("host", hosts.map(\.name).joined(separator: ",")), ("hostaddr", "")]
        if hosts.contains(where: { $0.port != nil }) {
            own.append(("port", hosts.map { $0.port.map(String.init) ?? "" }.joined(separator: ",")))
        }
        let list = list + own.map { (name: $0.0, value: $0.1) }
        guard !candidates.isEmpty, hosts.count > 1 else { return ConnectionParameters(list: list) }
        let servers = hosts.map {
            ServerAddress.Candidate(name: $0.name, address: "", port: $0.port.map(String.init) ?? "")
        }
        return ConnectionParameters(
            list: list, of: ServerAddress.Candidates(hosts: servers, connectMilliseconds: connectMilliseconds))
    }
}
