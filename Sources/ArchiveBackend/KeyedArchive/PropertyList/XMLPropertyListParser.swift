internal import StorageDriver

/// Reads a property list in XML: its elements and nothing else of XML. Defines and fetches no entities.
struct XMLPropertyListParser {
    private var scanner: XMLScanner
    private(set) var objects: [PropertyList.Object] = []
    private var depth = 0

    /// The most levels of elements: more than archives have, whose objects are not nested.
    private static let deepest = 512

    init(_ bytes: UnsafeRawBufferPointer) { scanner = XMLScanner(bytes) }

    /// Reads the list and returns the number of its top object.
    mutating func parse() throws(StorageError) -> Int {
        try scanner.skipProlog()
        guard case .open("plist") = try scanner.tag() else { throw scanner.damage("This is not a property list") }
        guard let top = try value(upTo: "plist") else { throw scanner.damage("The property list is empty") }
        guard try value(upTo: "plist") == nil else { throw scanner.damage("The property list has two tops") }
        return top
    }

    private mutating func add(_ object: PropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// The next value, or nil at the end of the named element.
    private mutating func value(upTo end: String) throws(StorageError) -> Int? {
        let tag = try scanner.tag()
        switch tag {
        case .close(let name):
            guard name == end else { throw scanner.damage("</\(name)> stands where </\(end)> should") }
            return nil
        case .empty(let name): return add(try Self.empty(name, scanner))
        case .open(let name): return try element(name)
        }
    }

    private static func empty(_ name: String, _ scanner: XMLScanner) throws(StorageError) -> PropertyList.Object {
        switch name {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "string", "key": return .string("")
        case "data": return .data([])
        case "array": return .array([])
        case "dict": return .dictionary(keys: [], values: [])
        default: throw scanner.damage("<\(name)/> is no value")
        }
    }

    private mutating func element(_ name: String) throws(StorageError) -> Int {
        switch name {
        case "array": return try container { (parser) throws(StorageError) in try parser.array() }
        case "dict": return try container { (parser) throws(StorageError) in try parser.dictionary() }
        default: break
        }
        let text = try scanner.text(upTo: name)
        guard let object = Self.scalar(name, text) else { throw scanner.damage("A <\(name)> holds none") }
        return add(object)
    }

    private mutating func container(
        _ body: (inout Self) throws(StorageError) -> PropertyList.Object
    ) throws(StorageError) -> Int {
        guard depth < Self.deepest else { throw scanner.damage("Elements nest too deep") }
        depth += 1
        defer { depth -= 1 }
        return add(try body(&self))
    }

    private mutating func array() throws(StorageError) -> PropertyList.Object {
        var elements: [Int] = []
        while let element = try value(upTo: "array") { elements.append(element) }
        return .array(elements)
    }

    private mutating func dictionary() throws(StorageError) -> PropertyList.Object {
        var keys: [Int] = []
        var values: [Int] = []
        while let key = try value(upTo: "dict") {
            guard case .string = objects[key], let value = try value(upTo: "dict") else {
                throw scanner.damage("A dictionary's key has no value")
            }
            keys.append(key)
            values.append(value)
        }
        // XML has no UIDs; they are dictionaries of this one key.
        if keys.count == 1, case .string("CF$UID") = objects[keys[0]], case .int(let uid) = objects[values[0]], uid >= 0
        {
            return .uid(UInt64(uid))
        }
        return .dictionary(keys: keys, values: values)
    }

    private static func scalar(_ name: String, _ text: [UInt8]) -> PropertyList.Object? {
        let string = String(decoding: text, as: UTF8.self)
        let word = string.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch name {
        case "string", "key": return string.utf8.count == text.count ? .string(string) : nil
        case "integer":
            if let value = Int64(word) { return .int(value) }
            return UInt64(word).map { .unsigned($0) }
        case "real": return Double(word).map { .real($0) }
        case "true", "false": return word.isEmpty ? .bool(name == "true") : nil
        case "data": return XMLScanner.bytes(base64: text).map { .data($0) }
        case "date": return XMLScanner.seconds(word).map { .date($0) }
        default: return nil
        }
    }
}
