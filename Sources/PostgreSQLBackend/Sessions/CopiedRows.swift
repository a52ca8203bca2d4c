internal import StorageDriver

/// Rows on their way into a table by `COPY … (FORMAT binary)`.
struct CopiedRows {
    let plan: WritePlan
    let sql: String
    private let forms: [WireForm]
    /// The number of further columns after the plan's columns, which are null.
    private let nulls: Int
    /// The rows that are not sent yet.
    private(set) var bytes: [UInt8] = []
    /// The number of rows, sent ones included.
    private(set) var count = 0

    /// The beginning of the stream: its signature, no flags, and no extension.
    static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// The end of the stream, in place of a row's number of columns.
    static let trailer: [UInt8] = [0xFF, 0xFF]

    init(_ plan: WritePlan, _ sql: String) {
        (self.plan, self.sql) = (plan, sql)
        forms = plan.columns.map { plan.table.columns[$0].type.form(isForeign: false) }
        nulls = plan.removedColumns.count
    }

    mutating func add(_ batch: borrowing RowBatch) {
        for row in 0..<batch.count {
            bytes.append(bigEndian: Int16(truncatingIfNeeded: forms.count + nulls))
            let first = batch.cells + row * batch.width
            for (column, form) in forms.enumerated() { bytes.append(measured: first[column], as: form) }
            for _ in 0..<nulls { bytes.append(bigEndian: Int32(-1)) }
        }
        count += batch.count
    }

    mutating func removeSent() { bytes.removeAll(keepingCapacity: true) }
}

extension CompiledWrite {
    /// The statement that copies rows into a table; nil if it cannot replace the insertion. A column of decimal digits would
    /// need another form, and only the count would show that a trigger has kept a row out.
    static func copying(_ plan: WritePlan, _ names: Names, mayKeepOut: Bool) -> String? {
        let types = plan.columns.map { plan.table.columns[$0].type }
        guard plan.operation == .insert, !plan.table.isForeign, !mayKeepOut, !types.contains(where: \.isNumeric) else {
            return nil
        }
        let columns = (plan.columns + plan.removedColumns).map { plan.table.columns[$0].sqlName }
        return "COPY \(names.table(plan.table)) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }
}
