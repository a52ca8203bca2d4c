internal import StorageDriver

/// The decoder's knowledge about each entry of `$objects`. Made once for an archive, so that shared entries are decoded
/// once, and an entry that contains itself is found.
struct EntryMarks {
    private var marks: [Cell] = []
    private var visitsLeft = 0

    private static let visited = Cell.Tag(rawValue: 100)
    private static let open = Cell.Tag(rawValue: 101)
    private static let classKind = Cell.Tag(rawValue: 102)
    /// Values begin here: 200 for text, greater ones for arrays of a kind.
    private static let text: UInt32 = 200

    mutating func begin(_ reader: KeyedReader) {
        marks.removeAll(keepingCapacity: true)
        marks.append(contentsOf: repeatElement(.null, count: reader.count))
        visitsLeft = reader.list.bytes.count * 16 + 65536
    }

    /// Counts work that a sound archive needs once for each object, so a sum beyond the archive's size is an error.
    @inline(__always)
    mutating func spend(_ visits: Int) throws(StorageError) {
        visitsLeft &-= visits
        if visitsLeft < 0 {
            throw StorageError(.corrupt, "The archive's objects contain each other too often to be read.")
        }
    }

    // MARK: Objects

    /// Marks an object as being read; returns false if it was read before.
    @inline(__always)
    mutating func enter(_ entry: Int) throws(StorageError) -> Bool {
        let tag = marks[entry].tag
        guard tag != Self.open else {
            throw StorageError(.corrupt, "Object \(entry) of the archive contains itself.")
        }
        marks[entry].tag = Self.open
        return tag == .null
    }

    @inline(__always)
    mutating func leave(_ entry: Int) { marks[entry].tag = Self.visited }

    // MARK: Classes

    mutating func classKind(_ entry: Int, _ reader: KeyedReader) throws(StorageError) -> KeyedReader.ClassKind {
        if marks[entry].tag == Self.classKind, let known = KeyedReader.ClassKind(rawValue: marks[entry].bits) {
            return known
        }
        let kind = try reader.classKind(ofEntry: entry)
        // An entry that is known as something else keeps that, and its class is worked out, and paid for, each time.
        if marks[entry].isNull {
            marks[entry] = Cell(bits: kind.rawValue, length: 0, tag: Self.classKind)
        } else {
            try spend(16)
        }
        return kind
    }

    // MARK: Values

    private static func tag(_ form: ScalarForm) -> Cell.Tag {
        Cell.Tag(rawValue: text + (UInt32(form.arrays) << 8 | (form.arrays == 0 ? 0 : UInt32(form.leaf.rawValue))))
    }

    /// The text that was made for an entry, if it was made for this kind.
    @inline(__always)
    func value(_ entry: Int, _ form: ScalarForm) -> Cell? {
        let mark = marks[entry]
        guard mark.tag == Self.tag(form) else { return nil }
        return Cell(bits: mark.bits, length: mark.length, tag: .text)
    }

    mutating func set(_ value: Cell, of entry: Int, _ form: ScalarForm) {
        marks[entry] = Cell(bits: value.bits, length: value.length, tag: Self.tag(form))
    }
}
