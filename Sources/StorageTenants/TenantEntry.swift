internal import StorageAPI
import StorageDriver

extension TenantDirectory {
    /// A server, or another place that has stores of tenants.
    public struct Server: Hashable, Sendable {
        /// Its name in the directory.
        public let name: String
        /// The address of a tenant's store on it, with `{tenant}` in place of the tenant's name.
        public let address: String
        /// A Boolean value that indicates whether new tenants may be placed on it.
        public let takesTenants: Bool
        /// The number of tenants whose stores are on it, or are being moved to it.
        public internal(set) var tenants = 0

        func address(of tenant: String) -> String { address.replacing("{tenant}", with: tenant) }
    }

    /// The place of a tenant's store.
    public struct Entry: Hashable, Sendable {
        /// The tenant's name.
        public let tenant: String
        /// The name of the server that has the store; nil for a store at a separate address.
        public internal(set) var server: String?
        /// The address of the store.
        public internal(set) var address: String
        /// The number of moves that the store has made.
        public internal(set) var version = 0
        /// The move that is under way; nil for none.
        public internal(set) var move: Move?

        /// Returns whether another entry names the same place of the same move. A tenant that was removed and added again has
        /// made no move.
        func isSamePlace(as other: Entry?) -> Bool { version == other?.version && address == other?.address }
    }

    /// A move of a tenant's store.
    public struct Move: Hashable, Sendable {
        /// Its name in the records that close stores to writers.
        public let name: String
        /// The server to which the store moves; nil for a separate address.
        public let server: String?
        /// The new address; of a move that is ``State/switched``, the old one.
        public internal(set) var address: String
        /// The state of the move.
        public internal(set) var state: State

        /// The states of a move. The entry's address is in charge in each of them.
        public enum State: String, Sendable {
            /// The store is being copied.
            case copying
            /// The copy is complete and equal, and the new place is about to be named.
            case switching
            /// The new place is named, and the old one is yet to be told.
            case switched
            /// The move is being given up.
            case cancelling
        }
    }
}

// MARK: Records

extension TenantDirectory {
    static let tenantModel = "Tenant"
    static let serverModel = "TenantServer"

    static let schemas = [
        RecordSchema(
            name: serverModel,
            properties: [
                .init(name: "name", kind: .column(.string), isKey: true),
                .init(name: "address", kind: .column(.string)),
                .init(name: "takesTenants", kind: .column(.bool)),
            ]),
        RecordSchema(
            name: tenantModel,
            properties: [
                .init(name: "name", kind: .column(.string), isKey: true),
                .init(name: "server", kind: .column(.string), isOptional: true, isIndexed: true),
                .init(name: "address", kind: .column(.string)),
                .init(name: "version", kind: .column(.int64)),
                .init(name: "move", kind: .column(.string), isOptional: true, isIndexed: true),
                .init(name: "moveServer", kind: .column(.string), isOptional: true, isIndexed: true),
                .init(name: "moveAddress", kind: .column(.string), isOptional: true),
                .init(name: "moveState", kind: .column(.string), isOptional: true),
            ]),
    ]
}

extension DynamicRecord {
    fileprivate init(_ model: String, texts: KeyValuePairs<String, String?>, _ others: [Field]) {
        let fields = texts.map { name, text in
            Field(name: name, content: .value(text.map(Value.text) ?? .null, .string))
        }
        self.init(model: model, fields: fields + others)
    }
}

extension TenantDirectory.Server {
    init(_ record: DynamicRecord) throws(StorageError) {
        name = try record.value("name", as: String.self)
        address = try record.value("address", as: String.self)
        takesTenants = try record.value("takesTenants", as: Bool.self)
    }

    var record: DynamicRecord {
        DynamicRecord(
            TenantDirectory.serverModel, texts: ["name": name, "address": address],
            [.init(name: "takesTenants", content: .value(.int(takesTenants ? 1 : 0), .bool))])
    }
}

extension TenantDirectory.Entry {
    init(_ record: DynamicRecord) throws(StorageError) {
        tenant = try record.value("name", as: String.self)
        server = try record.value("server", as: String?.self)
        address = try record.value("address", as: String.self)
        version = try record.value("version", as: Int.self)
        guard let name = try record.value("move", as: String?.self) else { return }
        guard let address = try record.value("moveAddress", as: String?.self),
            let state = try record.value("moveState", as: String?.self).flatMap(TenantDirectory.Move.State.init)
        else {
            throw StorageError(
                .corrupt,
                "The directory's record of a move cannot be read; correct it, or use the version that wrote it.",
                model: TenantDirectory.tenantModel, key: [.text(tenant)])
        }
        move = TenantDirectory.Move(
            name: name, server: try record.value("moveServer", as: String?.self), address: address, state: state)
    }

    var record: DynamicRecord {
        DynamicRecord(
            TenantDirectory.tenantModel,
            texts: [
                "name": tenant, "server": server, "address": address, "move": move?.name, "moveServer": move?.server,
                "moveAddress": move?.address, "moveState": move?.state.rawValue,
            ],
            [.init(name: "version", content: .value(.int(Int64(version)), .int64))])
    }
}
