import StorageDriver

/// Reads a table of owned rows together with its owners' rows.
struct OwnershipCheck {
    private let owned: TableScan
    private let owner: TableScan
    private let report: (StoreProblem) -> Void
    /// The number of leading key parts that identify the owner.
    private let ownerParts: Int
    /// True if each row has a position without gaps, as elements of an array do. Positions of references may have gaps.
    private let isDense: Bool
    /// The owner's column that says whether an optional array is present.
    private let presence: Int?

    init(
        _ table: TableSchema, owner: TableSchema, _ reader: any StorageSession,
        _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {
        owned = try TableScan(table, in: reader)
        self.owner = try TableScan(owner, in: reader)
        self.report = report
        ownerParts = owner.key.count
        isDense = table.key.count > owner.key.count && !table.isOfReferences
        let property = table.storedPath.last
        presence = owner.columns.firstIndex {
            $0.role == .presence && !$0.isRemoved && $0.storedProperty == property
        }
    }

    func run() throws(StorageError) {
        _ = try owned.step()
        while try owner.step() {
            try reportOrphans()
            try checkRows()
        }
        try reportOrphans()
    }

    /// Rows that come before the current owner's, or after the last one's.
    private func reportOrphans() throws(StorageError) {
        while owned.isAtRow, !owner.isAtRow || owned.order(to: owner, count: ownerParts) == .before {
            report(owned.problem("The owner is missing."))
            _ = try owned.step()
        }
    }

    /// The current owner's rows.
    private func checkRows() throws(StorageError) {
        var count: Int64 = 0
        var isTold = false
        while owned.isAtRow, owned.order(to: owner, count: ownerParts) == .same {
            if isDense, let position = owned.table.key.last, !isTold, owned.cells[position].int != count {
                report(owned.problem("The positions have a gap before this one; \(count) is missing."))
                isTold = true
            }
            count += 1
            _ = try owned.step()
        }
        if count == 0, owned.table.isRequired { report(problem("The required child is missing.")) }
        if count > 0, let presence, owner.cells[presence].int == 0 {
            report(problem("The array is nil, and \(count) children are stored."))
        }
    }

    private func problem(_ message: String) -> StoreProblem {
        owner.problem(message, owned.table.path.dropFirst().joined(separator: "."))
    }
}
