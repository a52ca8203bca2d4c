internal import CPostgreSQL
package import PostgreSQLBackend
package import StorageDriver

extension PostgreSQLBackend: ExaminableBackend {
    package func examine(_ limits: HealthLimits) -> [HealthFinding] {
        do throws(StorageError) {
            let role = ServerRole()
            let connection = try Connection(self, role)
            let subject = ServerCheck.Subject(
                schema: schema.literal, configuration: self, limits: limits, isReplica: role.isReplica)
            var findings = connection.examinePath(self)
            for check in ServerCheck.all { findings += try check.run(connection, subject) }
            findings += try StoreCheck(self, connection).findings()
            findings += try examineReplicas(connection)
            return findings
        } catch {
            let cause = (error.underlying as? PostgreSQLError)?.message
            return [
                HealthFinding(
                    "connection", .error, message: error.message + (cause.map { " The reason: \($0)" } ?? ""),
                    advice: "Check the address from this machine by psql, and the server's log.")
            ]
        }
    }

    // MARK: Replicas

    /// Examines each server of the option `replicas`.
    private func examineReplicas(_ primary: Connection) throws(StorageError) -> [HealthFinding] {
        guard let hosts = replicas?.hosts else { return [] }
        let system = try primary.run(Self.system).integer()
        return hosts.flatMap { host in
            do throws(StorageError) {
                return try connecting(to: [host]).examineReplica(host.name, of: system, primary)
            } catch {
                return [
                    HealthFinding(
                        "replica", .error, message: "The replica \(host.name) cannot be asked: \(error.message)",
                        advice: "Start it, or take it out of the option replicas. Reads go to the others and to "
                            + "the primary meanwhile.")
                ]
            }
        }
    }

    private static let system = "SELECT system_identifier FROM pg_catalog.pg_control_system()"

    private func examineReplica(
        _ name: String, of system: Int64?, _ primary: Connection
    ) throws(StorageError) -> [HealthFinding] {
        let connection = try Connection(self)
        let found = try connection.run(
            """
            SELECT pg_catalog.pg_is_in_recovery(), (SELECT system_identifier FROM pg_catalog.pg_control_system()),
              (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8,
              extract(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp())::int8,
              CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_is_wal_replay_paused() ELSE false END
            """)
        guard found.integer(0, 1) == system else {
            return [
                HealthFinding(
                    "replica", .error,
                    message: "The replica \(name) belongs to another database cluster than the primary.",
                    advice: "Take it out of the option replicas.")
            ]
        }
        guard found.isTrue() else {
            return [
                HealthFinding(
                    "replica", .error,
                    message:
                        "The server \(name) is no replica: it takes writes. If the primary does too, the cluster has two.",
                    advice: "Find which of them is right, stop the other one, and rebuild it by pg_rewind or a backup.")
            ]
        }
        if found.isTrue(0, 4) {
            return [
                HealthFinding(
                    "replica", .error, message: "The replica \(name) has paused, and shows no later commits.",
                    advice: "On it: SELECT pg_wal_replay_resume().")
            ]
        }
        // A primary that is itself a replica has no position to compare with.
        let lsn = try? primary.run("SELECT \(Replicas.primaryLSN)").integer()
        guard let lsn, let reached = found.integer(0, 2) else { return [] }
        let (behind, age) = (max(lsn - reached, 0), found.integer(0, 3) ?? 0)
        // Without commits to replay, the last one gets old although the replica is current.
        let isLate = behind > 16 << 20 && age > 10
        return [
            HealthFinding(
                "replica", isLate ? .warning : .note,
                message: "The replica \(name) is \(behind.bytes) behind the primary"
                    + (isLate ? ", and its last commit is \(age.seconds) old: reads go to the primary." : "."),
                advice: isLate ? "Look at its disk and network, and for long queries on it." : nil)
        ]
    }
}

extension Connection {
    /// Examines the path to the server: a pooler, and the protection of the connection.
    fileprivate func examinePath(_ configuration: PostgreSQLBackend) -> [HealthFinding] {
        examinePooler(configuration) + examineTLS()
    }

    private func examinePooler(_ configuration: PostgreSQLBackend) -> [HealthFinding] {
        if isKeptByPooler {
            return [
                HealthFinding(
                    "pooler", .note,
                    message: "A pooler is before the server, and pooler=session says that it keeps a process for each "
                        + "connection. Each write checks that.")
            ]
        }
        guard isShared else { return [] }
        let finding = "A pooler is before the server. The store keeps nothing in its sessions"
        guard configuration.listen == nil else {
            return [
                HealthFinding("pooler", .note, message: "\(finding), and listens at the address of the option listen.")
            ]
        }
        return [
            HealthFinding(
                "pooler", .note, message: "\(finding), and observers look for commits of others ten times a second.",
                advice: "Add listen=HOST:PORT of the server itself, so that they are told at once.")
        ]
    }

    private func examineTLS() -> [HealthFinding] {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let address = PQhostaddr(handle).map { String(cString: $0) } ?? ""
        let isLocal = host.hasPrefix("/") || host.hasPrefix("@") || address.hasPrefix("127.") || address == "::1"
        let mode = option("sslmode")
        guard PQsslInUse(handle) == 1 else {
            guard !isLocal else { return [] }
            return [
                HealthFinding(
                    "tls", .error,
                    message:
                        "The connection is not encrypted: anyone on the network path can read and change everything.",
                    advice: "Set up ssl on the server, and add sslmode=verify-full&sslrootcert=… to the URL.")
            ]
        }
        let kind = [PQsslAttribute(handle, "protocol"), PQsslAttribute(handle, "cipher")]
            .compactMap { $0.map { String(cString: $0) } }.joined(separator: ", ")
        guard mode != "verify-full" else {
            return [
                HealthFinding(
                    "tls", .note,
                    message: "The connection is encrypted (\(kind)), and the server's "
                        + "certificate is verified.")
            ]
        }
        return [
            HealthFinding(
                "tls", isLocal ? .note : .warning,
                message:
                    "The connection is encrypted (\(kind)), but sslmode=\(mode) does not check that the certificate "
                    + "is that of the host.",
                advice: "Add sslmode=verify-full&sslrootcert=… to the URL.")
        ]
    }

    /// A parameter of the connection as libpq has it, after its environment and its files.
    private func option(_ name: String) -> String {
        guard let options = PQconninfo(handle) else { return "" }
        defer { PQconninfoFree(options) }
        var next = options
        while let keyword = next.pointee.keyword {
            if String(cString: keyword) == name { return next.pointee.val.map { String(cString: $0) } ?? "" }
            next += 1
        }
        return ""
    }
}
