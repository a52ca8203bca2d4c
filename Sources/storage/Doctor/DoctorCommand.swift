import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

#if PostgreSQL
import PostgreSQLBackend
import PostgreSQLDoctor
#endif

/// `storage doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine a store's server, or its file's place, and say what to do.",
        discussion: """
            Asks a PostgreSQL server about its settings, the user's rights, transactions and locks, dead rows and \
            statistics, indexes, transaction numbers, disks, replicas, poolers and TLS. Of a file it looks at the disk and \
            the rights. It reads no record: that is what verify does. Nothing is changed.

            --lock compares the store's schema with the file that storage schema --lock has written for a program.

            Examples:
              storage doctor 'postgresql://app@db.example.com/people?schema=app'
              storage doctor people.db --json
              storage doctor people.db --lock Schema.lock

            Exit codes: 0 no error and no warning; 1 there is one.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Option(help: ArgumentHelp("Compare the store's schema with the file's.", valueName: "file"))
    var lock: String?

    @Option(
        help: ArgumentHelp("Report transactions that run for longer than these seconds.", valueName: "seconds"))
    var transactionAge = 300.0

    @Flag(help: "Print a JSON object for each finding, one on each line.")
    var json = false

    @Flag(help: "Print nothing; only set the exit code.")
    var quiet = false

    func validate() throws {
        guard transactionAge >= 0, transactionAge <= 31_536_000 else {
            throw ValidationError("--transaction-age is from 0 to 31536000 seconds.")
        }
    }

    func run() async throws {
        let findings = try await Interruption.cancelling { try await examine() }
        let sorted = HealthFinding.Severity.allCases.reversed().flatMap { severity in
            findings.filter { $0.severity == severity }
        }
        if !quiet { try print(sorted) }
        if findings.contains(where: { $0.severity > .note }) { throw ExitCode(ToolExit.negative.rawValue) }
    }

    private func examine() async throws -> [HealthFinding] {
        var findings: [HealthFinding] = []
        if let backend = try examinable() {
            var limits = HealthLimits()
            limits.transactionSeconds = transactionAge
            limits.waitSeconds = min(limits.waitSeconds, transactionAge)
            findings += backend.examine(limits)
            // Report a server that cannot be asked once, not again by --lock.
            if findings.contains(where: { $0.check == "connection" }) { return findings }
        } else {
            findings += try await examineFile()
        }
        if let lock { findings += try await compare(with: lock) }
        return findings
    }

    /// The backend of a store on a server; nil for a file.
    private func examinable() throws -> (any ExaminableBackend)? {
        #if PostgreSQL
        if let url = try? StorageURL(store.text), url.scheme == PostgreSQLBackend.scheme {
            return try PostgreSQLBackend(url: url)
        }
        #endif
        return nil
    }

    // MARK: Files

    private func examineFile() async throws -> [HealthFinding] {
        var findings = try StoreFile(store).findings()
        do {
            findings.append(
                try await store.with(.reading) { store in
                    let models = try await store.schema().count(where: \.isRoot)
                    let format = store.info.format.map { ", format \($0)" } ?? ""
                    return HealthFinding(
                        "store", .note,
                        message: "The store opens: \(store.info.name)\(format), \(models.counted("model")).",
                        advice: "Run storage verify, which reads every record.")
                })
        } catch let error as StorageError {
            findings.append(
                HealthFinding(
                    "store", .error, message: error.message,
                    advice: error.code == .corrupt
                        ? "Run storage verify, and restore a backup or copy what can be read (salvage=true)." : nil))
        }
        return findings
    }

    // MARK: The schema

    private func compare(with path: String) async throws -> [HealthFinding] {
        let lock = try Store.SchemaLock(contentsOf: path)
        return try await store.with(.reading) { store in
            guard try await store.schemaLock() != lock else {
                return [HealthFinding("schema", .note, message: "The store has the schema of \(path).")]
            }
            let changes = try await store.plan(for: lock.models).map(\.description)
            return [
                HealthFinding(
                    "schema", .warning,
                    message: "The store has another schema than \(path). Opening it with that program would change: "
                        + (changes.isEmpty
                            ? "nothing, since only the store has more "
                                + "models." : changes.joined(separator: "; ")),
                    advice: "Open the store with the newest program first, or see storage schema --lock \(path).")
            ]
        }
    }

    // MARK: Output

    private func print(_ findings: [HealthFinding]) throws {
        var output = Output()
        for finding in findings { try output.line(json ? finding.json.text : finding.text) }
        if !json {
            let counts = [(HealthFinding.Severity.error, "error"), (.warning, "warning"), (.note, "note")].map {
                severity, word in findings.count { $0.severity == severity }.counted(word)
            }
            try output.line(counts.joined(separator: ", ") + ".")
        }
        try output.flush()
    }
}

extension HealthFinding {
    /// The finding and its advice, on separate lines.
    fileprivate var text: String {
        let title = severity == .note ? "note" : Terminal.bold(severity.rawValue)
        let lines = ["\(title)  \(check): \(message)"] + (advice.map { ["    → \($0)"] } ?? [])
        return lines.map(\.printable).joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        .object([
            "check": .string(check), "severity": .string(severity.rawValue), "message": .string(message),
            "advice": advice.map(JSONValue.string) ?? .null,
        ])
    }
}
