internal import PostgreSQLBackend
internal import StorageDriver

/// One question to the server, and the findings that its answer leads to.
struct ServerCheck {
    /// The store that is examined, as the questions name it.
    struct Subject {
        /// The schema's name as an SQL literal.
        let schema: String
        let configuration: PostgreSQLBackend
        let limits: HealthLimits
        let isReplica: Bool

        /// The schema's number, in SQL; null if it does not exist.
        var namespace: String { "pg_catalog.to_regnamespace(\(configuration.schema.quotedName.literal))" }
    }

    let name: String
    let sql: @Sendable (Subject) -> String
    let read: @Sendable (StatementResult, Subject) -> [HealthFinding]

    init(
        _ name: String, _ sql: @escaping @Sendable (Subject) -> String,
        _ read: @escaping @Sendable (StatementResult, Subject) -> [HealthFinding]
    ) {
        (self.name, self.sql, self.read) = (name, sql, read)
    }

    static let all = server + settings + sessions + tables

    /// The findings of this check. One that the server refuses is a note.
    func run(_ connection: Connection, _ subject: Subject) throws(StorageError) -> [HealthFinding] {
        do throws(StorageError) {
            return read(try connection.run(sql(subject)), subject)
        } catch {
            if connection.loss != nil { throw error }
            let cause = (error.underlying as? PostgreSQLError)?.message ?? error.message
            return [
                HealthFinding(
                    name, .note, message: "The server does not answer this check: \(cause).",
                    advice: "Run doctor as a user with the role pg_monitor.")
            ]
        }
    }
}

extension Int64 {
    /// A number of bytes for people.
    var bytes: String {
        switch self {
        case ..<(10 << 10): "\(self) bytes"
        case ..<(10 << 20): "\(self >> 10) KiB"
        case ..<(10 << 30): "\(self >> 20) MiB"
        default: "\(self >> 30) GiB"
        }
    }

    /// A number of seconds for people.
    var seconds: String {
        switch self {
        case ..<600: "\(self) s"
        case ..<36_000: "\(self / 60) min"
        default: "\(self / 3600) h"
        }
    }
}
