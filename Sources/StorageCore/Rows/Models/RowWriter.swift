public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Writes a model's values to a row, one for each property, in the schema's order.
///
/// Writing never throws. If a value cannot be stored, the writer remembers the error, and the call that writes the
/// model throws it before anything reaches the backend.
@frozen
public struct RowWriter: ~Copyable {
    // Between `next` and `end` are the cells of this row that are still to be written. The buffer belongs to the graph
    // writer, which outlives this value: it makes the writer, hands it to one call as inout, and takes it back.
    @usableFromInline var next: UnsafeMutablePointer<Cell>
    @usableFromInline var end: UnsafeMutablePointer<Cell>
    @usableFromInline let arena: UnsafeMutablePointer<Arena>
    @usableFromInline let graph: Unmanaged<GraphWriter>
    @usableFromInline var table: Int
    @usableFromInline var row: Int
    @usableFromInline package var relation = 0

    init(
        next: UnsafeMutablePointer<Cell>, count: Int, arena: UnsafeMutablePointer<Arena>, graph: GraphWriter,
        table: Int,
        row: Int
    ) {
        self.next = next
        end = next + count
        self.arena = arena
        self.graph = .passUnretained(graph)
        self.table = table
        self.row = row
    }

    /// Writes the next cell. For conformances to `ColumnValue`; text and blobs go through ``put(_:as:)``.
    @inlinable @inline(__always)
    public mutating func put(_ cell: Cell) {
        if next < end {
            next.pointee = cell
            next += 1
        } else {
            refuseCell()
        }
    }

    /// Writes bytes, which are copied, as the next cell.
    @inlinable @inline(__always)
    public mutating func put(_ bytes: UnsafeRawBufferPointer, as tag: Cell.Tag) {
        guard bytes.count <= arena.pointee.limit else { return refuseBytes(bytes.count) }
        let place = arena.pointee.allocate(bytes.count)
        if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
        put(Cell(bits: UInt64(UInt(bitPattern: place)), length: UInt32(truncatingIfNeeded: bytes.count), tag: tag))
    }

    /// Remembers why the row cannot be written. The row's next cell counts as written.
    public mutating func fail(_ code: StorageError.Code, _ message: String) {
        graph.takeUnretainedValue().fail(StorageError(code, message), cell: next, of: self)
        put(.null)
    }

    @usableFromInline
    mutating func refuseCell() {
        graph.takeUnretainedValue().fail(
            StorageError(
                .configuration, "write(into:) writes more values than the schema has properties; make them agree."),
            cell: next, of: self)
    }

    @usableFromInline
    mutating func refuseBytes(_ count: Int) {
        fail(.limitExceeded, "A value of \(count) bytes is larger than the limit of \(arena.pointee.limit) bytes.")
    }
}

// The overloads mirror Property's initialisers: a property's type selects the same kind in all three.
extension RowWriter {
    /// Writes a scalar, an Optional of one, or an array.
    @inlinable @inline(__always)
    public mutating func write<T: ColumnValue>(_ value: T) { value.encode(into: &self) }

    /// Writes an enum's raw value.
    @inlinable @inline(__always)
    public mutating func write<T: RawRepresentable>(_ value: T) where T.RawValue: ScalarValue {
        value.rawValue.encode(into: &self)
    }

    /// Writes an enum's raw value, or nil.
    @inlinable @inline(__always)
    public mutating func write<T: RawRepresentable>(_ value: T?) where T.RawValue: ScalarValue {
        (value?.rawValue).encode(into: &self)
    }

    /// Writes the raw values of an array of enums.
    @inlinable
    public mutating func write<T: RawRepresentable>(_ values: [T]) where T.RawValue: ScalarValue {
        values.map(\.rawValue).encode(into: &self)
    }

    /// Writes any other `Codable` value as JSON text. Costs a JSON encoder; not for hot paths.
    @_disfavoredOverload
    public mutating func write<T: Codable & Sendable>(_ value: T) {
        do {
            if let data = try EmbeddedCoding.encode(value) {
                data.withUnsafeBytes { put($0, as: .text) }
            } else {
                put(.null)
            }
        } catch {
            fail(.invalidValue, "The value cannot be encoded: \(error)")
        }
    }

    /// Refuses, at compile time, a type that cannot be stored.
    @available(*, unavailable, message: "this type cannot be stored")
    @_disfavoredOverload
    public mutating func write<T>(_ value: T) {}
}

// Owned children go to the rows of their table, which may be the owner's if a type owns itself.
extension RowWriter {
    /// Writes an owned child to its table.
    @inlinable
    public mutating func write<T: Storable>(_ child: T) { writeChildren(CollectionOfOne(child)) }

    /// Writes an owned child to its table; writes no row if it is nil.
    @inlinable
    public mutating func write<T: Storable>(_ child: T?) {
        if let child { writeChildren(CollectionOfOne(child)) } else { relation &+= 1 }
    }

    /// Writes the owned children of an array to their table, each with its position.
    @inlinable
    public mutating func write<T: Storable>(_ children: [T]) { writeChildren(children) }

    /// Writes the owned children of an array to their table, and whether the array is nil to the owner's row.
    @inlinable
    public mutating func write<T: Storable>(_ children: [T]?) {
        put(.int(children == nil ? 0 : 1))
        writeChildren(children ?? [])
    }

    /// Compiled into the model's module, where the loop costs no generic call per child.
    ///
    /// - Parameter step: the distance between the children's positions.
    @inlinable
    mutating func writeChildren<C: Collection>(_ children: C, apart step: Int = 1) where C.Element: Storable {
        defer { relation &+= 1 }
        guard !children.isEmpty, let place = graph.takeUnretainedValue().beginChildren(of: self) else { return }
        var position = 0
        for child in children {
            var row = place.beginChild(position)
            child.write(into: &row)
            place.endChild(row)
            position &+= step
        }
        place.end(&self)
    }
}
