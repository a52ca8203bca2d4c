internal import StorageDriver

/// A property list that is a keyed archive: where its `$objects` and its root are.
struct KeyedReader {
    let list: PropertyListReader
    private let objects: PropertyListReader.Head
    /// The root's index in `$objects`.
    private(set) var root: Int

    /// The number of entries in `$objects`.
    var count: Int { objects.count }

    /// The meaning of a class to the reader of records.
    enum ClassKind: UInt64 {
        case other, array, string, data, date, url, uuid, null, refused

        static let named: [(name: StaticString, kind: ClassKind)] = [
            ("NSArray", .array), ("NSMutableArray", .array), ("NSString", .string), ("NSMutableString", .string),
            ("NSData", .data), ("NSMutableData", .data), ("NSDate", .date), ("NSURL", .url), ("NSUUID", .uuid),
            ("NSNull", .null), ("NSDictionary", .refused), ("NSMutableDictionary", .refused), ("NSSet", .refused),
            ("NSMutableSet", .refused), ("NSOrderedSet", .refused), ("NSMutableOrderedSet", .refused),
        ]
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        list = try PropertyListReader(bytes)
        let top = try list.head(UInt64(list.top))
        guard top.kind == 0xD0, let archiver = try list.value(of: "$archiver", in: top),
            try list.isString(archiver, "NSKeyedArchiver"), let version = try list.value(of: "$version", in: top),
            let roots = try list.value(of: "$top", in: top), let all = try list.value(of: "$objects", in: top)
        else { throw PropertyListReader.damage("This is not a keyed archive", at: top.start) }
        let number = try list.head(version)
        guard number.kind == 0x10, try list.integer(number).bits == 100_000 else {
            throw PropertyListReader.damage("The keyed archive has an unknown version", at: number.start)
        }
        objects = try list.head(all)
        guard objects.kind == 0xA0, objects.count > 0 else {
            throw PropertyListReader.damage("The archive's $objects is not an array", at: objects.start)
        }
        root = 0
        root = try entry(try Self.root(in: roots, list))
    }

    /// The UID of the root: under the key `root`, or under whatever the only key is.
    private static func root(
        in roots: UInt64, _ list: PropertyListReader
    ) throws(StorageError) -> PropertyListReader.Head {
        let top = try list.head(roots)
        guard top.kind == 0xD0 else { throw PropertyListReader.damage("The archive has no $top", at: top.start) }
        if let root = try list.value(of: "root", in: top) { return try list.head(root) }
        guard top.count == 1 else { throw PropertyListReader.damage("The archive has no root", at: top.start) }
        return try list.head(list.reference(top.start, 1))
    }

    /// The entry that a UID names.
    @inline(__always)
    func entry(_ head: PropertyListReader.Head) throws(StorageError) -> Int {
        guard head.kind == 0x80 else { throw PropertyListReader.damage("A UID is expected", at: head.start) }
        let entry = list.uid(head)
        guard entry < UInt64(truncatingIfNeeded: objects.count) else {
            throw PropertyListReader.damage("A UID names no object", at: head.start)
        }
        return Int(truncatingIfNeeded: entry)
    }

    /// The object of an entry.
    @inline(__always)
    func head(ofEntry entry: Int) throws(StorageError) -> PropertyListReader.Head {
        try list.head(list.reference(objects.start, entry))
    }

    /// Returns the kind of class that an entry describes.
    func classKind(ofEntry entry: Int) throws(StorageError) -> ClassKind {
        let description = try head(ofEntry: entry)
        // It has two or three keys. More would be looked through for each object of the class.
        guard description.kind == 0xD0, description.count <= 16,
            let name = try list.value(of: "$classname", in: description)
        else {
            throw PropertyListReader.damage("An object's class is none", at: description.start)
        }
        let text = try list.head(name)
        guard text.kind == 0x50 || text.kind == 0x60 else {
            throw PropertyListReader.damage("A class has no name", at: text.start)
        }
        for (known, kind) in ClassKind.named where text.kind == 0x50 {
            if known.withUTF8Buffer({ equal(UnsafeRawBufferPointer($0), list.content(text)) }) { return kind }
        }
        return .other
    }
}
