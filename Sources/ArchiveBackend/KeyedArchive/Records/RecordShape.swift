internal import StorageDriver

/// The meaning of one object's keys for a table. It is found once and valid for every object with the same keys in the
/// same order, which in an archive of one program are all objects of a class.
final class RecordShape {
    /// The object whose keys they are.
    let head: PropertyListReader.Head
    /// The keys of columns: the key, the column of the row, and the representation of its values.
    let slots: [Slot]
    /// The relations among the keys: which, and under which key.
    let relations: [(relation: Int, key: Int)]
    let sequence: Int?
    /// Under which key the class is.
    let classKey: Int

    struct Slot: BitwiseCopyable {
        let key: Int
        let column: Int
        let form: ScalarForm
    }

    init(
        _ object: PropertyListReader.Head, of table: RecordLayout.Table, keys: RecordKeys, list: PropertyListReader
    ) throws(StorageError) {
        var slots: [Slot] = []
        var relations: [(relation: Int, key: Int)] = []
        var (classKey, sequence): (Int?, Int?) = (nil, nil)
        var seen = Set<Int>()
        for index in 0..<object.count {
            guard let key = try keys.key(list, list.reference(object.start, index)) else { continue }
            guard seen.insert(key).inserted else {
                let relation = table.relations.firstIndex { relation in
                    relation.formerKey == key
                        && !relations.contains { table.relations[$0.relation].key == relation.key }
                }
                guard let relation else { throw PropertyListReader.damage("A key stands twice", at: object.start) }
                relations.append((relation, index))
                continue
            }
            switch key {
            case RecordKeys.classKey: classKey = index
            case RecordKeys.sequence: sequence = index
            default:
                if let column = table.columns.first(where: { $0.key == key }) {
                    slots.append(Slot(key: index, column: column.index, form: column.form))
                } else if let relation = table.relations.firstIndex(where: { $0.key == key }) {
                    relations.append((relation, index))
                }
            }
        }
        guard let classKey else { throw PropertyListReader.damage("An object has no class", at: object.start) }
        head = object
        (self.slots, self.relations) = (slots, relations)
        (self.classKey, self.sequence) = (classKey, sequence)
    }
}

/// The keys of a layout by their bytes.
struct RecordKeys {
    static let classKey = -1
    static let sequence = -2

    private var indices: [[UInt8]: Int] = [:]
    private let longest: Int

    init(_ layout: RecordLayout) {
        longest = max(layout.keys.map(\.count).max() ?? 0, 6)
        for (index, key) in layout.keys.enumerated() { indices[key] = index }
        indices[Array("$class".utf8)] = Self.classKey
        indices[Array("$seq".utf8)] = Self.sequence
    }

    /// The layout's key that a string of the archive is, or nil for keys of others.
    func key(_ list: PropertyListReader, _ object: UInt64) throws(StorageError) -> Int? {
        let head = try list.head(object)
        // A long key is not one of these, and a key that many objects share must not be compared each time.
        let mayBeKnown = head.count <= longest
        switch head.kind {
        case 0x50 where !mayBeKnown, 0x60 where !mayBeKnown: return nil
        case 0x50: return indices[Array(list.content(head))]
        case 0x60: return indices[Array(try list.utf8(head))]
        default: throw PropertyListReader.damage("A key is not a string", at: head.start)
        }
    }
}

extension PropertyListReader {
    /// The UTF-8 of a string of UTF-16 code units.
    func utf8(_ head: Head) throws(StorageError) -> [UInt8] {
        let content = UnsafeRawBufferPointer(rebasing: bytes[head.start..<head.start + head.count * 2])
        let units = (0..<head.count).lazy.map { UInt16(content[$0 * 2]) << 8 | UInt16(content[$0 * 2 + 1]) }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(content.count)
        let isBroken = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true) {
            utf8.append($0)
        }
        if isBroken { throw Self.damage("A string is not well-formed UTF-16", at: head.start) }
        return utf8
    }
}
