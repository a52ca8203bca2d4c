public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Gives a row's values, one for each property, in the schema's order.
@frozen
public struct RowReader: ~Copyable {
    // The cells belong to the backend's cursor or to a buffer of rows, and the context to the running query. Both
    // outlive this value: it is made for one row, handed to one call as inout, and gone before the next row.
    @usableFromInline package let cells: UnsafePointer<Cell>
    @usableFromInline package var index: Int
    @usableFromInline package let end: Int
    @usableFromInline var relation = 0
    @usableFromInline let context: Unmanaged<RowContext>

    @usableFromInline
    package init(_ cells: UnsafePointer<Cell>, from start: Int, to end: Int, context: Unmanaged<RowContext>) {
        self.cells = cells
        self.index = start
        self.end = end
        self.context = context
    }

    /// The next cell, not decoded. For conformances to `ColumnValue`.
    @inlinable @inline(__always)
    public mutating func next() throws(StorageError) -> Cell {
        guard index < end else { throw tooFewCells() }
        let cell = cells[index]
        index &+= 1
        return cell
    }

    /// Checks that the row was read to its end.
    @inlinable @inline(__always)
    package mutating func finish() throws(StorageError) {
        guard index == end else { throw cellsLeft() }
    }

    @usableFromInline
    func tooFewCells() -> StorageError {
        StorageError(
            .configuration, "init(reading:) reads more values than the schema has properties; make them agree.",
            model: context.takeUnretainedValue().modelName)
    }

    @usableFromInline
    func cellsLeft() -> StorageError {
        StorageError(
            .configuration, "init(reading:) reads fewer values than the schema has properties; make them agree.",
            model: context.takeUnretainedValue().modelName)
    }

    /// The error for the cell that was read last: it holds no value of the type.
    @usableFromInline
    package func mismatch<T>(_: T.Type, because reason: (any Error)? = nil) -> StorageError {
        context.takeUnretainedValue().mismatch(at: index - 1, of: cells, wanted: "\(T.self)", because: reason)
    }
}

// The overloads mirror Property's initialisers: a property's type selects the same kind in all three.
extension RowReader {
    /// Reads a scalar, an Optional of one, or an array.
    ///
    /// - Throws: `typeMismatch` if the stored value is not a value of the type.
    @inlinable @inline(__always)
    public mutating func read<T: ColumnValue>(_: T.Type) throws(StorageError) -> T {
        guard let value = T.decode(try next()) else { throw mismatch(T.self) }
        return value
    }

    /// Reads an enum by its raw value.
    ///
    /// - Throws: `typeMismatch` if no case has the stored value.
    @inlinable @inline(__always)
    public mutating func read<T: RawRepresentable>(_: T.Type) throws(StorageError) -> T where T.RawValue: ScalarValue {
        guard let raw = T.RawValue.decode(try next()), let value = T(rawValue: raw) else { throw mismatch(T.self) }
        return value
    }

    /// Reads an enum by its raw value, or nil.
    ///
    /// - Throws: `typeMismatch` if no case has the stored value.
    @inlinable @inline(__always)
    public mutating func read<T: RawRepresentable>(_: T?.Type) throws(StorageError) -> T?
    where T.RawValue: ScalarValue {
        let cell = try next()
        if cell.isNull { return nil }
        guard let raw = T.RawValue.decode(cell), let value = T(rawValue: raw) else { throw mismatch(T?.self) }
        return value
    }

    /// Reads an array of enums by their raw values.
    ///
    /// - Throws: `typeMismatch` if no case has one of the stored values.
    @inlinable
    public mutating func read<T: RawRepresentable>(_: [T].Type) throws(StorageError) -> [T]
    where T.RawValue: ScalarValue {
        var values: [T] = []
        for raw in try read([T.RawValue].self) {
            guard let value = T(rawValue: raw) else { throw mismatch([T].self) }
            values.append(value)
        }
        return values
    }

    /// Reads any other `Codable` value from its JSON text. Costs a JSON decoder; not for hot paths.
    @_disfavoredOverload
    public mutating func read<T: Codable & Sendable>(_: T.Type) throws(StorageError) -> T {
        let cell = try next()
        let value: T?
        do {
            value = try EmbeddedCoding.decode(T.self, from: cell)
        } catch {
            throw mismatch(T.self, because: error)
        }
        guard let value else { throw mismatch(T.self) }
        return value
    }

    /// Refuses, at compile time, a type that cannot be stored.
    @available(*, unavailable, message: "this type cannot be stored")
    @_disfavoredOverload
    public mutating func read<T>(_: T.Type) throws(StorageError) -> T { throw tooFewCells() }
}

// Owned children come from the rows of their table, read in step with their owner. The table may be the owner's if a type
// owns itself.
extension RowReader {
    /// Reads an owned child.
    ///
    /// - Throws: errors of its properties; `corrupt` if its row is missing.
    @inlinable
    public mutating func read<T: Storable>(_: T.Type) throws(StorageError) -> T {
        let children = try nextChildren()
        guard let child = try children.first(T.self, ownedBy: self) else { throw missingChild() }
        return child
    }

    /// Reads an owned child; nil if it has no row.
    @inlinable
    public mutating func read<T: Storable>(_: T?.Type) throws(StorageError) -> T? {
        try nextChildren().first(T.self, ownedBy: self)
    }

    /// Reads the owned children of an array, in their order.
    @inlinable
    public mutating func read<T: Storable>(_: [T].Type) throws(StorageError) -> [T] {
        try nextChildren().all(T.self, ownedBy: self)
    }

    /// Reads the owned children of an array, in their order; nil if the owner's row says that the array is nil.
    @inlinable
    public mutating func read<T: Storable>(_: [T]?.Type) throws(StorageError) -> [T]? {
        let isPresent = try read(Bool.self)
        let children = try nextChildren().all(T.self, ownedBy: self)
        return isPresent ? children : nil
    }

    @usableFromInline
    mutating func nextChildren() throws(StorageError) -> ChildRows {
        guard let children = context.takeUnretainedValue().children(relation) else { throw tooFewCells() }
        relation += 1
        return children
    }

    @usableFromInline
    func missingChild() -> StorageError { context.takeUnretainedValue().missingChild(relation - 1, of: cells) }
}
