import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON

/// The options of `storage alter` that set what a store keeps a history of.
struct HistorySettingOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Keep a history of the model: of its records, of their keys alone, or none any more.",
            valueName: "records|keys|off"), transform: { try HistorySettingOptions.detail($0) })
    var history: Store.HistoryDetail?

    @Option(
        help: ArgumentHelp(
            "With --history: the history that the store keeps: days, a number of commits, or all.",
            valueName: "30d|1000|all"))
    var keeping: HistoryPeriod?

    func validate() throws {
        if keeping != nil, history == nil { throw ValidationError("--keeping limits a history; give --history too.") }
    }

    private static func detail(_ text: String) throws -> Store.HistoryDetail {
        guard let detail = Store.HistoryDetail(rawValue: text) else {
            throw ValidationError("--history is records, keys or off, and not '\(text)'.")
        }
        return detail
    }

    var isWanted: Bool { history != nil }

    func run(on model: String, in store: Store, telling result: ResultOptions) async throws {
        guard let history else { return }
        try await store.keepHistory(history, ofRecords: [model], keeping: keeping?.limit)
        let kept = try await store.historyStatus()?.keeping ?? .everything
        let what =
            switch history {
            case .records: "records are kept as they were before each change"
            case .keys: "the keys of changed records are kept"
            case .off: "no further changes are kept"
            }
        let limits = [
            kept.commits.map { "the last \($0.counted("commit"))" }, kept.seconds.map { "\(($0 / 86_400).short) days" },
        ].compactMap(\.self)
        let limit = limits.isEmpty ? "" : "; the store keeps " + limits.joined(separator: ", and ")
        try result.tell(
            "\(model.printable): \(what)\(limit)",
            [
                "model": .string(model), "history": .string(history.rawValue),
                "commits": kept.commits.map { .count($0) } ?? .null,
                "seconds": kept.seconds.map { .number(ValueForm.text(.double($0), .double) ?? "") } ?? .null,
            ])
    }
}

/// The history that a store keeps: `30d` for days, `1000` for commits, or `all`.
struct HistoryPeriod: ExpressibleByArgument, Sendable {
    let limit: Store.HistoryLimit

    init?(argument: String) {
        if argument == "all" {
            limit = .everything
        } else if argument.hasSuffix("d"), let days = Double(argument.dropLast()), days.isFinite, days > 0 {
            limit = .days(days)
        } else if let commits = Int(argument), commits > 0 {
            limit = .commits(commits)
        } else {
            return nil
        }
    }
}

extension Double {
    /// The shortest text, without a fraction of zero.
    fileprivate var short: String { description.hasSuffix(".0") ? String(description.dropLast(2)) : description }
}

extension Store {
    /// - Throws: if the store keeps no history, or none of a model. The command line is right, so the status is that of data.
    func requireHistory(of models: [String] = []) async throws {
        let status = try await historyStatus()
        let kept = Set(((status?.records ?? []) + (status?.keys ?? [])).map { StoredName($0) })
        if status != nil, models.allSatisfy({ kept.contains(StoredName($0)) }) { return }
        let missing = models.first { !kept.contains(StoredName($0)) }
        if let missing { _ = try await recordSchema(missing) }
        throw ToolError(
            "The store keeps no history\(missing.map { " of \($0)" } ?? ""). To keep one from now on: storage alter STORE "
                + "\(missing ?? "MODEL") --history records.")
    }
}
