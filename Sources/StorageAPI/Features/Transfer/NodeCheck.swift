import StorageDriver

/// Reads the tables of a type that owns itself together with the rows at which it begins. Keeps the numbers of one tree
/// in memory.
struct NodeCheck {
    private let nodes: [TableScan]
    private let owner: TableScan
    private let report: (StoreProblem) -> Void

    init(
        _ tables: [TableSchema], below owner: TableSchema, _ reader: any StorageSession,
        _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {
        var scans: [TableScan] = []
        for table in tables { scans.append(try TableScan(table, in: reader)) }
        nodes = scans
        self.owner = try TableScan(owner, in: reader)
        self.report = report
    }

    func run() throws(StorageError) {
        for scan in nodes { _ = try scan.step() }
        while try owner.step() {
            try reportOrphans()
            try checkTree()
        }
        try reportOrphans()
    }

    private func reportOrphans() throws(StorageError) {
        for scan in nodes {
            while scan.isAtRow, !owner.isAtRow || scan.order(to: owner, count: owner.table.key.count) == .before {
                report(scan.problem("The owner is missing."))
                _ = try scan.step()
            }
        }
    }

    /// Each node's owner is a node of the same tree with a smaller number, or 0, which means outside the tree.
    private func checkTree() throws(StorageError) {
        var numbers: Set<Int64> = [0]
        var owners: [(number: Int64, parent: Int64, problem: StoreProblem)] = []
        for scan in nodes {
            guard let number = scan.table.columns.firstIndex(where: { $0.role == .node }),
                let parent = scan.table.columns.firstIndex(where: { $0.role == .parent })
            else { continue }
            while scan.isAtRow, scan.order(to: owner, count: owner.table.key.count) == .same {
                let node = (number: scan.cells[number].int, parent: scan.cells[parent].int)
                if !numbers.insert(node.number).inserted {
                    report(scan.problem("The node's number is repeated."))
                }
                owners.append((node.number, node.parent, scan.problem("The owner is missing.")))
                _ = try scan.step()
            }
        }
        for node in owners where node.parent >= node.number || !numbers.contains(node.parent) {
            report(node.problem)
        }
    }
}
