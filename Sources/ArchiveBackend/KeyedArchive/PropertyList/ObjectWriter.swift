internal import StorageDriver

/// Writes the `$objects` of one keyed archive: values that refer to each other by UID.
struct ObjectWriter: ~Copyable {
    var list = PropertyListWriter()
    /// For each entry of `$objects` the object of the property list, and the object that holds its UID.
    private var objects = NumberList()
    private var uids = NumberList()
    private var strings = StringTable()
    private var names = NumberList(repeating: PropertyListWriter.none, count: Name.allCases.count)
    private var classes: NumberList

    /// Classes of the values that the archive defines. Their raw values are indexes in `classes`.
    enum FoundationClass: Int, CaseIterable {
        case array, date, url, uuid, null

        var name: StaticString {
            switch self {
            case .array: "NSArray"
            case .date: "NSDate"
            case .url: "NSURL"
            case .uuid: "NSUUID"
            case .null: "NSNull"
            }
        }
    }

    /// Keys of the objects that the archive defines. Their raw values are indexes in `names`.
    enum Name: Int, CaseIterable {
        case className, classNames, rootClass, objectClass, sequence, objects, time, base, relative, uuid

        var text: StaticString {
            switch self {
            case .className: "$classname"
            case .classNames: "$classes"
            case .rootClass: "NSObject"
            case .objectClass: "$class"
            case .sequence: "$seq"
            case .objects: "NS.objects"
            case .time: "NS.time"
            case .base: "NS.base"
            case .relative: "NS.relative"
            case .uuid: "NS.uuidbytes"
            }
        }
    }

    /// Longer strings are written as often as they occur: a list of references to one long string would make a small
    /// archive a large value, which readers must refuse.
    static let maximumSharedLength = 64

    /// - Parameter classCount: the number of the caller's classes; they are numbered from 0.
    init(classCount: Int) {
        classes = NumberList(
            repeating: PropertyListWriter.none, count: FoundationClass.allCases.count + classCount)
        begin()
    }

    mutating func begin() {
        list.begin()
        objects.removeAll()
        uids.removeAll()
        strings.removeAll()
        names.fill(with: PropertyListWriter.none)
        classes.fill(with: PropertyListWriter.none)
        _ = add(list.ascii("$null"))
    }

    /// The UID of nil.
    @inline(__always)
    var null: UInt32 { mutating get { uid(0) } }

    /// Makes a property-list object an entry of `$objects` and returns the number of the entry.
    @inline(__always)
    mutating func add(_ object: UInt32) -> UInt32 {
        objects.append(object)
        uids.append(PropertyListWriter.none)
        return UInt32(truncatingIfNeeded: objects.count &- 1)
    }

    /// The UID of an entry, shared by all references to it.
    @inline(__always)
    mutating func uid(_ entry: UInt32) -> UInt32 {
        let index = Int(entry)
        let known = uids[index]
        if known != PropertyListWriter.none { return known }
        let object = list.uid(entry)
        uids[index] = object
        return object
    }

    mutating func name(_ name: Name) -> UInt32 {
        let known = names[name.rawValue]
        if known != PropertyListWriter.none { return known }
        let object = list.ascii(name.text)
        names[name.rawValue] = object
        return object
    }

    // MARK: Classes

    mutating func classUID(_ known: FoundationClass) -> UInt32 {
        if classes[known.rawValue] != PropertyListWriter.none { return classes[known.rawValue] }
        return addClass(at: known.rawValue, named: list.ascii(known.name))
    }

    /// The UID of a class of the caller's.
    mutating func classUID(_ index: Int, name: [UInt8]) throws(StorageError) -> UInt32 {
        let place = FoundationClass.allCases.count + index
        if classes[place] != PropertyListWriter.none { return classes[place] }
        return addClass(at: place, named: try plainString(name))
    }

    private mutating func addClass(at place: Int, named name: UInt32) -> UInt32 {
        let chain = list.array([name, self.name(.rootClass)])
        let (own, all) = ((self.name(.className), name), (self.name(.classNames), chain))
        let object = uid(add(list.dictionary(own, all)))
        classes[place] = object
        return object
    }

    // MARK: Values

    /// A string of the property list that is no entry: a key or a class's name.
    mutating func plainString(_ bytes: [UInt8]) throws(StorageError) -> UInt32 {
        guard let object = bytes.withUnsafeBytes({ string($0) }) else { throw Self.illFormed }
        return object
    }

    private mutating func string(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        Self.isASCII(bytes) ? list.ascii(bytes) : list.utf16(bytes)
    }

    /// The entry of a string.
    @inline(__always)
    mutating func text(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> UInt32 {
        guard Self.isASCII(bytes) else {
            guard let object = list.utf16(bytes) else { throw Self.illFormed }
            return add(object)
        }
        guard bytes.count <= Self.maximumSharedLength else { return add(list.ascii(bytes)) }
        let hash = strings.hash(bytes)
        if let known = find(bytes, hash) { return known }
        let entry = add(list.ascii(bytes))
        strings.insert(entry, hash: hash)
        return entry
    }

    @inline(__always)
    private func find(_ bytes: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32? {
        strings.find(hash) { equal(list.writtenASCII(objects[Int($0)]), bytes) }
    }

    mutating func object(_ known: FoundationClass, _ key: Name, value: UInt32) -> UInt32 {
        let own = (name(key), value)
        let classOf = (name(.objectClass), classUID(known))
        return add(list.dictionary(own, classOf))
    }

    /// The entry of an array whose elements have these UIDs.
    mutating func array(_ elements: UnsafeBufferPointer<UInt32>) -> UInt32 {
        object(.array, .objects, value: list.array(elements))
    }

    mutating func url(_ text: UInt32) -> UInt32 {
        let keys = [name(.base), name(.relative), name(.objectClass)]
        return add(list.dictionary(keys: keys, values: [null, uid(text), classUID(.url)]))
    }

    // MARK: The archive

    /// Ends the archive with its root and gives its bytes, which are valid until the next change.
    mutating func finish(root: UInt32) throws(StorageError) -> UnsafeRawBufferPointer {
        let root = uid(root)
        let top = list.dictionary(keys: CollectionOfOne(list.ascii("root")), values: CollectionOfOne(root))
        let all = list.array(objects.suffix(from: 0))
        let keys = [list.ascii("$version"), list.ascii("$archiver"), list.ascii("$top"), list.ascii("$objects")]
        let values = [list.integer(100_000), list.ascii("NSKeyedArchiver"), top, all]
        return try list.finish(top: list.dictionary(keys: keys, values: values))
    }

    // MARK: Bytes

    private static var illFormed: StorageError {
        StorageError(.invalidValue, "A text is not well-formed UTF-8, and an archive cannot hold it.")
    }

    @inline(__always)
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index &+ 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
            index &+= 8
        }
        return bytes.lastWord & 0x8080_8080_8080_8080 == 0
    }
}

/// Returns whether two runs of bytes are the same.
@inline(__always)
func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index &+ 8 <= left.count {
        let same =
            left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if !same { return false }
        index &+= 8
    }
    return left.lastWord == right.lastWord
}

extension UnsafeRawBufferPointer {
    /// The bytes after the last complete word of eight, at most seven, as the low bytes of a number.
    @inline(__always)
    var lastWord: UInt64 {
        let rest = count & 7
        if count >= 8 {
            let word = loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            return UInt64(littleEndian: word) >> UInt64(truncatingIfNeeded: 64 &- 8 &* rest)
        }
        if rest >= 4 {
            let low = UInt32(littleEndian: loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            let high = UInt32(littleEndian: loadUnaligned(fromByteOffset: rest &- 4, as: UInt32.self))
            return UInt64(low) | UInt64(high) &<< UInt64(truncatingIfNeeded: 8 &* (rest &- 4))
        }
        var word: UInt64 = 0
        for index in 0..<rest { word = word &<< 8 | UInt64(self[index]) }
        return word
    }
}
