/// Values as rows of cells, with the memory of their bytes: for a backend that passes them to C.
public final class ValueCells {
    package let rows: RowBuffer
    // Exclusivity is not checked at run time: no access lasts beyond one statement of this class.
    @exclusivity(unchecked) private var arena = Arena()

    /// Copies the list, with its texts and blobs.
    public init(_ list: ValueList) {
        rows = RowBuffer(width: list.width)
        for index in 0..<list.count { add(list[index]) }
    }

    package init(width: Int) { rows = RowBuffer(width: width) }

    /// Adds a row of at most as many values as the width.
    package func add(_ values: [Value]) { add(values[...]) }

    private func add(_ values: ArraySlice<Value>) {
        let row = rows.row(rows.append())
        for (cell, value) in values.prefix(rows.width).enumerated() { row[cell] = arena.cell(for: value) }
    }

    /// Row after row; valid as long as this object lives.
    public var cells: UnsafePointer<Cell> { UnsafePointer(rows.cells) }
    /// The number of rows.
    public var count: Int { rows.count }
    /// The number of cells in each row.
    public var width: Int { rows.width }
}
