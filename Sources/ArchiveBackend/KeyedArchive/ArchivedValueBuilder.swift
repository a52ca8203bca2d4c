internal import StorageDriver

/// Follows the UIDs of a keyed archive from its top. Each object is built once, however often it is referred to.
struct ArchivedValueBuilder {
    private typealias Object = PropertyList.Object
    typealias Fields = [String: Int]

    private let list: PropertyList
    private let limits: ArchivedValue.Limits
    private let entries: [Int]
    private let top: Fields
    private var states: [State]
    private var classNames: [Int: String] = [:]
    private var depth = 0
    /// The number of values built for the current object, including the values of shared objects.
    private var size = 0

    private enum State {
        case untouched
        case open
        case built(ArchivedValue, size: Int)
    }

    init(_ list: PropertyList, _ limits: ArchivedValue.Limits) throws(StorageError) {
        self.list = list
        self.limits = limits
        guard let archive = try Self.fields(list.top, list), let archiver = archive["$archiver"],
            case .string("NSKeyedArchiver") = list.objects[archiver], let version = archive["$version"],
            case .int(100_000) = list.objects[version], let roots = archive["$top"],
            let top = try Self.fields(roots, list), let objects = archive["$objects"],
            case .array(let entries) = list.objects[objects], !entries.isEmpty
        else {
            throw StorageError(.corrupt, "This property list is not a keyed archive of a known version.")
        }
        self.top = top
        self.entries = entries
        states = Array(repeating: .untouched, count: entries.count)
    }

    mutating func roots() throws(StorageError) -> [String: ArchivedValue] {
        var roots: [String: ArchivedValue] = [:]
        for (key, value) in top { roots[key] = try self.value(value) }
        return roots
    }

    /// A dictionary by its keys, which must be strings and not repeated.
    private static func fields(_ object: Int, _ list: PropertyList) throws(StorageError) -> Fields? {
        guard case .dictionary(let keys, let values) = list.objects[object] else { return nil }
        var fields: Fields = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = list.objects[key] else { return nil }
            guard fields.updateValue(value, forKey: name) == nil else {
                throw StorageError(.corrupt, "The key \(name.debugDescription) of the archive stands twice.")
            }
        }
        return fields
    }

    // MARK: Values

    /// An object of the property list: plain, or the UID of an entry.
    private mutating func value(_ object: Int) throws(StorageError) -> ArchivedValue {
        guard depth < limits.depth else {
            throw StorageError(.limitExceeded, "The archive nests deeper than the limit of \(limits.depth) levels.")
        }
        depth += 1
        defer { depth -= 1 }
        if case .uid(let entry) = list.objects[object] { return try self.entry(entry) }
        try grow(by: 1)
        return try plain(object)
    }

    private mutating func grow(by count: Int) throws(StorageError) {
        size += count
        if size > limits.values {
            throw StorageError(.limitExceeded, "The archive stands for more than the limit of \(limits.values) values.")
        }
    }

    private mutating func entry(_ number: UInt64) throws(StorageError) -> ArchivedValue {
        guard number < UInt64(entries.count) else {
            throw StorageError(.corrupt, "A UID of the archive names object \(number) of \(entries.count).")
        }
        if number == 0 { return .null }
        let index = Int(number)
        switch states[index] {
        case .built(let value, let size):
            try grow(by: size)
            return value
        case .open: throw StorageError(.corrupt, "Object \(number) of the archive contains itself.")
        case .untouched: break
        }
        states[index] = .open
        let before = size
        try grow(by: 1)
        let value = try object(entries[index])
        states[index] = .built(value, size: size - before)
        return value
    }

    private mutating func plain(_ object: Int) throws(StorageError) -> ArchivedValue {
        switch list.objects[object] {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .unsigned(let value): return .unsigned(value)
        case .real(let value): return .real(value)
        case .date(let value): return .date(value)
        case .string(let value): return .string(value)
        case .data(let value): return .data(value)
        case .uid(let entry): return try self.entry(entry)
        case .array(let elements): return .array(try values(elements))
        case .dictionary(let keys, let values): return .dictionary(try entries(keys, values))
        }
    }

    private mutating func values(_ objects: [Int]) throws(StorageError) -> [ArchivedValue] {
        var values: [ArchivedValue] = []
        for object in objects { values.append(try value(object)) }
        return values
    }

    private mutating func entries(_ keys: [Int], _ values: [Int]) throws(StorageError) -> [ArchivedValue.Entry] {
        guard keys.count == values.count else {
            throw StorageError(.corrupt, "A dictionary of the archive has other numbers of keys and values.")
        }
        var entries: [ArchivedValue.Entry] = []
        for (key, object) in zip(keys, values) {
            entries.append(ArchivedValue.Entry(key: try value(key), value: try value(object)))
        }
        return entries
    }

    // MARK: Objects of classes

    private mutating func object(_ object: Int) throws(StorageError) -> ArchivedValue {
        guard case .dictionary = list.objects[object], let fields = try Self.fields(object, list),
            let description = fields["$class"]
        else { return try plain(object) }
        let name = try className(description)
        if let value = try foundationValue(name, fields) { return value }
        var values: [String: ArchivedValue] = [:]
        for (key, value) in fields where key != "$class" {
            values[key.hasPrefix("$$") ? String(key.dropFirst()) : key] = try self.value(value)
        }
        return .object(className: name, fields: values)
    }

    private mutating func className(_ object: Int) throws(StorageError) -> String {
        guard case .uid(let number) = list.objects[object], number < UInt64(entries.count) else { throw Self.noClass }
        let entry = entries[Int(number)]
        if let known = classNames[entry] { return known }
        guard let name = try Self.fields(entry, list)?["$classname"], case .string(let text) = list.objects[name] else {
            throw Self.noClass
        }
        classNames[entry] = text
        return text
    }

    private static var noClass: StorageError {
        StorageError(.corrupt, "An object of the archive has a class that is none.")
    }

    /// The value of an object of one of Foundation's classes; nil if its contents are unknown.
    private mutating func foundationValue(_ name: String, _ fields: Fields) throws(StorageError) -> ArchivedValue? {
        switch name {
        case "NSNull": return .null
        case "NSString", "NSMutableString": return try inner("NS.string", fields)
        case "NSData", "NSMutableData": return try inner("NS.data", fields)
        case "NSDate": return try date(fields)
        case "NSUUID": return try uuid(fields)
        case "NSURL": return try url(fields)
        case "NSArray", "NSMutableArray", "NSOrderedSet", "NSMutableOrderedSet":
            guard let elements = try elements(fields) else { return nil }
            return .array(elements)
        case "NSSet", "NSMutableSet":
            guard let elements = try elements(fields) else { return nil }
            return .set(elements)
        case "NSDictionary", "NSMutableDictionary": return try dictionary(fields)
        default: return nil
        }
    }

    private mutating func inner(_ key: String, _ fields: Fields) throws(StorageError) -> ArchivedValue? {
        guard let object = fields[key] else { return nil }
        return try value(object)
    }

    private mutating func date(_ fields: Fields) throws(StorageError) -> ArchivedValue? {
        guard let time = fields["NS.time"] else { return nil }
        switch list.objects[time] {
        case .real(let seconds): return .date(seconds)
        case .int(let seconds): return .date(Double(seconds))
        default: return nil
        }
    }

    private mutating func uuid(_ fields: Fields) throws(StorageError) -> ArchivedValue? {
        guard let object = fields["NS.uuidbytes"], case .data(let bytes) = try value(object), bytes.count == 16 else {
            return nil
        }
        return .uuid(bytes)
    }

    private mutating func url(_ fields: Fields) throws(StorageError) -> ArchivedValue? {
        guard let relative = fields["NS.relative"], case .string(let text) = try value(relative) else { return nil }
        guard let base = fields["NS.base"] else { return .url(text, base: nil) }
        switch try value(base) {
        case .url(let base, base: _): return .url(text, base: base)
        case .null: return .url(text, base: nil)
        default: return nil
        }
    }

    /// The elements of a collection: an array of UIDs, or in older archives a key for each element.
    private mutating func elements(_ fields: Fields) throws(StorageError) -> [ArchivedValue]? {
        if let objects = fields["NS.objects"] {
            guard case .array(let elements) = list.objects[objects] else { return nil }
            return try values(elements)
        }
        var elements: [Int] = []
        while let next = fields["NS.object.\(elements.count)"] { elements.append(next) }
        return elements.isEmpty && fields.count > 1 ? nil : try values(elements)
    }

    private mutating func dictionary(_ fields: Fields) throws(StorageError) -> ArchivedValue? {
        guard let keys = fields["NS.keys"], let objects = fields["NS.objects"],
            case .array(let keyObjects) = list.objects[keys], case .array(let values) = list.objects[objects]
        else { return nil }
        return .dictionary(try entries(keyObjects, values))
    }
}
