import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON

/// The common type of the values of one property in many records.
final class ValueShape {
    /// The kinds of values that were seen.
    private struct Kinds: OptionSet {
        let rawValue: Int
        static let bool = Kinds(rawValue: 1)
        /// An integer of 64 bits, with or without a sign.
        static let integer = Kinds(rawValue: 2)
        static let negative = Kinds(rawValue: 4)
        /// An integer above `Int64.max`.
        static let unsigned = Kinds(rawValue: 8)
        /// An integer of 64 bits that a double does not hold.
        static let wide = Kinds(rawValue: 16)
        /// A number that a double holds as it is written.
        static let double = Kinds(rawValue: 32)
        /// A number with more digits, which a decimal holds.
        static let decimal = Kinds(rawValue: 64)
        /// A number that no decimal holds as it is written.
        static let huge = Kinds(rawValue: 128)
        /// A number of more digits than a double has.
        static let long = Kinds(rawValue: 4096)
        /// A number that is greater than all doubles, or so small that the nearest one is 0.
        static let beyond = Kinds(rawValue: 8192)
        static let text = Kinds(rawValue: 256)
        static let object = Kinds(rawValue: 512)
        static let array = Kinds(rawValue: 1024)
        static let null = Kinds(rawValue: 2048)
    }

    private var kinds: Kinds = []
    /// The number of values, except null.
    private(set) var count = 0
    /// The common shape of the objects.
    private(set) var object: ObjectShape?
    /// The common shape of the arrays' elements.
    private var element: ValueShape?
    /// True if all texts are dates.
    private var areDates = true
    private var words = WordShape()
    private let dates: DateInference

    init(_ dates: DateInference) { self.dates = dates }

    /// - Parameter isUntyped: whether the input has texts in place of truth values.
    func add(_ value: JSONValue, isUntyped: Bool = false) throws(ToolError) {
        if value != .null { count += 1 }
        switch value {
        case .null: kinds.insert(.null)
        case .bool(let flag):
            kinds.insert(.bool)
            words.add("\(flag)")
        case .number(let text): kinds.formUnion(Self.kinds(ofNumber: text))
        case .string(let text):
            kinds.insert(.text)
            if areDates { areDates = dates.isDate(text) }
            if isUntyped { words.add(text) } else { words.fail() }
        case .object(let members):
            kinds.insert(.object)
            let shape = object ?? ObjectShape(dates)
            object = shape
            try shape.add(members)
        case .array(let elements):
            kinds.insert(.array)
            let shape = element ?? ValueShape(dates)
            element = shape
            for value in elements { try shape.add(value) }
        }
    }

    /// Adds a scalar of JSON that is no text with escapes.
    func add(_ member: JSONObjectScan.Member, of bytes: UnsafeRawBufferPointer) {
        if let text = member.text(in: bytes) {
            count += 1
            kinds.insert(.text)
            words.fail()
            if areDates { areDates = dates.isDate(text) }
            return
        }
        let value = UnsafeRawBufferPointer(rebasing: bytes[member.value])
        switch value[0] {
        case UInt8(ascii: "n"): kinds.insert(.null)
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            count += 1
            kinds.insert(.bool)
            if !words.isOfFlags { words.add(value.count == 4 ? "true" : "false") }
        default:
            count += 1
            switch NumberBytes.form(value) {
            // So many digits are as many in a double.
            case .integer where value.count <= 15:
                kinds.formUnion(value[0] == UInt8(ascii: "-") ? [.integer, .negative] : .integer)
            case .fraction(digits: ...15): kinds.insert(.double)
            default: kinds.formUnion(Self.kinds(ofNumber: String(decoding: value, as: UTF8.self)))
            }
        }
    }

    /// Adds a field of delimited values.
    func add(_ field: CSVReader.Field, _ bytes: UnsafeRawBufferPointer) throws(ToolError) {
        guard field.count > 0 || field.isQuoted else { return _ = kinds.insert(.null) }
        // What is a text for good needs no look.
        if kinds.contains(.text), !areDates, !words.areAll { return count += 1 }
        if let first = bytes.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 {
            switch NumberBytes.form(bytes) {
            // So many digits are as many in a double.
            case .integer where bytes.count <= 15:
                count += 1
                return kinds.formUnion(first == UInt8(ascii: "-") ? [.integer, .negative] : .integer)
            case .fraction(digits: ...15):
                count += 1
                return _ = kinds.insert(.double)
            default: break
            }
            if areDates, !field.hasEscapes, dates.isDate(bytes) {
                count += 1
                words.fail()
                return _ = kinds.insert(.text)
            }
        }
        if words.isOfFlags, bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8) {
            count += 1
            return _ = kinds.insert(.bool)
        }
        var text = String(decoding: bytes, as: UTF8.self)
        if field.hasEscapes { text = text.replacing("\"\"", with: "\"") }
        try add(CSVSource.Field(text: text, isQuoted: field.isQuoted).value, isUntyped: true)
    }

    private static func kinds(ofNumber text: String) -> Kinds {
        if let number = Int64(text) {
            let isWide = number.magnitude > 1 << 53
            var kinds = Kinds.integer
            if isWide { kinds.insert(.wide) }
            if number < 0 { kinds.insert(.negative) }
            return kinds
        }
        if UInt64(text) != nil { return [.unsigned, .wide] }
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.count { $0 &- UInt8(ascii: "0") < 10 }
        let isZero = !mantissa.contains { $0 &- UInt8(ascii: "1") < 9 }
        guard let number = Double(text), number.isFinite, number.isZero == isZero else { return .beyond }
        // A double preserves 15 digits, and a decimal 38.
        if digits <= 15 || number.description == text { return isDecimal(text) ? .double : [.double, .huge] }
        if digits <= 38, mantissa.count == text.utf8.count { return .decimal }
        return digits <= 17 ? .huge : [.huge, .long]
    }

    private static func isDecimal(_ text: String) -> Bool {
        let row = ColumnType.decimal.row
        return DecimalText.plain(text).map { row.value(of: $0) != nil } ?? false
    }

    /// The paths from here to numbers that are rounded to Doubles; an empty one for this value.
    fileprivate var rounded: [String] {
        if case .child(let object) = kind(mixedIsText: false) { return object.rounded }
        if case .children(let object) = kind(mixedIsText: false) { return object.rounded }
        guard kinds.contains(.huge), isNumeric, !kinds.isDisjoint(with: [.long, .decimal, .wide]) else { return [] }
        return [""]
    }

    private var isNumeric: Bool {
        kinds.isSubset(of: [.null, .integer, .negative, .unsigned, .wide, .double, .decimal, .huge, .long])
    }

    // MARK: Types

    /// The kind of property that these values make.
    enum Kind {
        case column(ColumnType)
        case child(ObjectShape)
        case children(ObjectShape)
    }

    /// - Parameter isText: whether a text is what values of several types are, as in comma-separated values.
    func kind(mixedIsText isText: Bool) -> Kind {
        let kinds = kinds.subtracting(.null)
        if kinds == .object, let object, !object.isEmpty { return .child(object) }
        if kinds == .array {
            guard let element else { return .column(.array(of: .string)) }
            if element.kinds == .object, let object = element.object, !object.isEmpty { return .children(object) }
        }
        return .column(type(mixedIsText: isText))
    }

    private func type(mixedIsText isText: Bool) -> ColumnType {
        let kinds = kinds.subtracting(.null)
        if kinds == .text, areDates { return .date }
        if kinds == .bool || kinds.isSubset(of: [.bool, .text]) && isText && words.areFlags { return .bool }
        if kinds.isEmpty || kinds == .text { return .string }
        if isNumeric { return numericType }
        if kinds == .array, let type = elementType { return .array(of: type) }
        return isText ? .string : .embedded
    }

    /// The type of the elements of arrays; nil if they have no common one.
    private var elementType: ColumnType? {
        guard let element, !element.kinds.isEmpty else { return .string }
        guard !element.kinds.contains(.object) else { return nil }
        let type = element.type(mixedIsText: false)
        // A stored array of dates is printed as numbers.
        return type == .embedded ? nil : type == .date ? .string : type
    }

    private var numericType: ColumnType {
        let isWhole = kinds.isDisjoint(with: [.double, .decimal, .huge])
        if isWhole, !kinds.contains(.unsigned) { return .int64 }
        if isWhole, !kinds.contains(.negative) { return .uint64 }
        if kinds.contains(.huge) { return .double }
        return kinds.isDisjoint(with: [.decimal, .wide]) ? .double : .decimal
    }
}

/// The common members of the objects of one property in many records.
final class ObjectShape {
    /// The number of objects.
    private(set) var count = 0
    /// Their members, in the order in which they were first seen.
    private(set) var members: [(name: String, shape: ValueShape)] = []
    private var places: [StoredName: Int] = [:]
    /// The names as bytes.
    private var names: [[UInt8]] = []
    /// The members that an object has, while it is added.
    private var found: [Int] = []

    /// As many columns as a table has on every backend, its key included.
    static let maximumMembers = BackendInfo.Limits().columns

    static func tooMany(_ count: Int) -> String {
        "there are more than \(maximumMembers.grouped) properties (the limit of columns); leave some out with --map =NAME."
    }

    private let dates: DateInference

    init(_ dates: DateInference) { self.dates = dates }

    var isEmpty: Bool { members.isEmpty }

    /// - Throws: if there are more different members than a table has columns.
    func add(_ object: [JSONValue.Member], isUntyped: Bool = false) throws(ToolError) {
        count += 1
        for (place, member) in object.enumerated() {
            try shape(of: member.name, near: place).add(member.value, isUntyped: isUntyped)
        }
    }

    /// Adds an object of scalars whose names are known, as it is in the bytes; false, and nothing is added, for any other.
    func add(_ scan: JSONObjectScan, of bytes: UnsafeRawBufferPointer) -> Bool {
        guard scan.read(bytes) else { return false }
        // Local variables, since each access to a property of a class is checked at run time.
        let (read, members, names) = (scan.members, members, names)
        var found: [Int] = []
        swap(&found, &self.found)
        defer { swap(&found, &self.found) }
        guard read.count <= members.count else { return false }
        found.removeAll(keepingCapacity: true)
        var next = 0
        for member in read {
            // A text with escapes takes a parser, and so does a name that comes out of order.
            guard let place = names[next...].firstIndex(where: { bytes[member.name].elementsEqual($0) }),
                member.isPlainText
                    ? member.text(in: bytes) != nil : bytes[member.value.lowerBound] != UInt8(ascii: "\"")
            else { return false }
            found.append(place)
            next = place + 1
        }
        count += 1
        for (member, place) in zip(read, found) { members[place].shape.add(member, of: bytes) }
        return true
    }

    /// The shapes of the columns of delimited values, to which the fields of each record are added.
    func shapes(of header: [String]) throws(ToolError) -> [ValueShape] {
        var shapes: [ValueShape] = []
        for (place, name) in header.enumerated() { shapes.append(try shape(of: name, near: place)) }
        return shapes
    }

    /// Adds an object whose members somebody else adds.
    func addObject() { count += 1 }

    /// The path to the only array of objects that there is in an object, through objects alone.
    var pathToArray: String? {
        let paths = members.compactMap { name, shape in
            switch shape.kind(mixedIsText: false) {
            case .children: name
            case .child(let object): object.pathToArray.map { name + "." + $0 }
            case .column: nil
            }
        }
        return paths.count == 1 ? paths[0] : nil
    }

    /// Objects usually have their members in one order, so this index is tried first.
    private func shape(of name: String, near place: Int) throws(ToolError) -> ValueShape {
        if place < members.count, StoredName(members[place].name) == StoredName(name) { return members[place].shape }
        if let place = places[StoredName(name)] { return members[place].shape }
        guard members.count < Self.maximumMembers else {
            throw ToolError("In the objects of the file \(Self.tooMany(members.count))")
        }
        let shape = ValueShape(dates)
        places[StoredName(name)] = members.count
        members.append((name, shape))
        names.append(Array(name.utf8))
        return shape
    }

    /// The paths to properties whose numbers are rounded to Doubles.
    var rounded: [String] {
        members.flatMap { name, shape in shape.rounded.map { $0.isEmpty ? name : name + "." + $0 } }
    }

    /// The properties of records of this shape.
    func properties(mixedIsText isText: Bool) -> [RecordSchema.Property] {
        members.map { name, shape in
            let kind: RecordSchema.Kind
            switch shape.kind(mixedIsText: isText) {
            case .column(let type): kind = .column(type)
            case .child(let object):
                kind = .child(RecordSchema(name: name, properties: object.properties(mixedIsText: isText)))
            case .children(let object):
                kind = .children(RecordSchema(name: name, properties: object.properties(mixedIsText: isText)))
            }
            return RecordSchema.Property(name: name, kind: kind, isOptional: shape.count < count)
        }
    }
}
