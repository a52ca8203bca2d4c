internal import Synchronization

/// One version of a generated model: a root and the two types that it may own, directly or through each other.
struct VersionSet: Hashable, Sendable {
    enum Part: String, Hashable, Sendable, CaseIterable {
        case root = "Root"
        case a = "A"
        /// May own records of its own type.
        case b = "B"
    }

    enum Kind: Hashable, Sendable {
        case int, double, text, texts
        /// A time after all that a program runs at.
        case date
        /// A reference to one of ``VersionGoal``.
        case reference
        case one(Part)
        case many(Part)

        var part: Part? {
            switch self {
            case .one(let part), .many(let part): part
            case .int, .double, .text, .texts, .date, .reference: nil
            }
        }

        /// The marks that a property of the type may have, in the root or in what it owns.
        func marks(in part: Part) -> [FieldMark] {
            switch self {
            case .int, .double: part == .root ? [.unique, .indexed] : []
            case .text: part == .root ? [.searched, .unique, .indexed] : [.searched]
            case .texts: [.searched]
            case .date: part == .root ? [.expires] : []
            case .reference, .one, .many: []
            }
        }

        var isMany: Bool { if case .many = self { true } else { false } }
    }

    struct Field: Hashable, Sendable {
        var name: String
        var kind: Kind
        var isOptional = false
        /// The names in earlier versions, the latest first.
        var renamedFrom: [String] = []
        var marks: Set<FieldMark> = []
        /// Only of values that are not Optional.
        var hasDefault = false

        /// The value that the default has.
        var defaultValue: FieldValue? {
            guard hasDefault, !isOptional else { return nil }
            switch kind {
            case .int: return 7
            case .double: return 7.5
            case .text: return "default"
            case .texts: return .texts(["default"])
            case .date, .reference, .one, .many: return nil
            }
        }

        var swift: String {
            let names = renamedFrom.map { "\"\($0)\"" }.joined(separator: ", ")
            let former = names.isEmpty ? "" : "@Field(renamedFrom: \(names)) "
            let type =
                switch kind {
                case .int: "Int"
                case .double: "Double"
                case .text: "String"
                case .texts: "[String]"
                case .date: "Date"
                case .reference: "Ref<Goal>"
                case .one(let part): part.rawValue
                case .many(let part): "[\(part.rawValue)]"
                }
            let value = hasDefault && !isOptional ? " = default" : ""
            let marks = FieldMark.allCases.filter(marks.contains).map { $0.rawValue + " " }.joined()
            return "\(former)\(marks)var \(name): \(type)\(isOptional ? "?" : "")\(value)"
        }
    }

    /// The properties beside `id`.
    var fields: [Part: [Field]] = [:]

    subscript(part: Part) -> [Field] {
        get { fields[part] ?? [] }
        set { fields[part] = newValue }
    }

    /// Returns whether rows of the type can own rows of it.
    func isRecursive(_ part: Part) -> Bool { part == .b && self[.b].contains { $0.kind.part == .b } }

    var swift: String {
        Part.allCases.map { part in
            "struct \(part.rawValue) { " + (["var id: Int"] + self[part].map(\.swift)).joined(separator: "; ") + " }"
        }.joined(separator: "\n")
    }
}

// MARK: Random versions

extension VersionSet {
    private static let names = ["p", "q", "r", "s"]

    static func random(_ generator: inout SeededGenerator) -> VersionSet {
        var version = VersionSet()
        for part in Part.allCases {
            for _ in 0..<generator.below(4) { version.add(to: part, &generator) }
        }
        return version
    }

    /// A version with some changes.
    func changed(_ generator: inout SeededGenerator) -> VersionSet {
        var next = self
        // What was renamed once stays declared so, as in programs, or is forgotten.
        for part in Part.allCases where generator.chance(30) {
            for index in next[part].indices { next[part][index].renamedFrom = [] }
        }
        for _ in 0...generator.below(3) {
            let part = generator.pick(Part.root, .a, .b)
            switch generator.below(11) {
            case 0...2: next.add(to: part, &generator)
            case 3...4: next.remove(from: part, &generator)
            case 5...6: next.rename(in: part, &generator)
            case 7: next.exchange(in: part, &generator)
            default: next.retype(in: part, &generator)
            }
        }
        return next
    }

    private func freeNames(_ part: Part) -> [String] {
        let taken = self[part].flatMap { [$0.name] + $0.renamedFrom }
        return Self.names.filter { !taken.contains($0) }
    }

    private mutating func add(to part: Part, _ generator: inout SeededGenerator) {
        guard let name = generator.one(of: freeNames(part)) else { return }
        self[part].append(Self.field(name, of: part, &generator))
        keepOneExpiry(part, self[part].count - 1)
    }

    /// Takes the mark from a property if another one is the time of expiry.
    private mutating func keepOneExpiry(_ part: Part, _ index: Int) {
        guard self[part].count(where: { $0.marks.contains(.expires) }) > 1 else { return }
        self[part][index].marks.remove(.expires)
    }

    private mutating func remove(from part: Part, _ generator: inout SeededGenerator) {
        if !self[part].isEmpty { self[part].remove(at: generator.below(self[part].count)) }
    }

    private mutating func rename(in part: Part, _ generator: inout SeededGenerator) {
        guard let name = generator.one(of: freeNames(part)), !self[part].isEmpty else { return }
        let index = generator.below(self[part].count)
        // A program that names the last name alone leaves the data of users who skip a version.
        let earlier = generator.chance(70) ? self[part][index].renamedFrom : []
        rename(index, of: part, to: name, from: [self[part][index].name] + earlier)
    }

    /// A former name is one property's alone.
    private mutating func rename(_ index: Int, of part: Part, to name: String, from formers: [String]) {
        for other in self[part].indices { self[part][other].renamedFrom.removeAll(where: formers.contains) }
        (self[part][index].name, self[part][index].renamedFrom) = (name, formers)
    }

    /// Two properties exchange their names, or one gets the name that the other has passed on.
    private mutating func exchange(in part: Part, _ generator: inout SeededGenerator) {
        guard let left = generator.one(of: Array(self[part].indices)) else { return }
        let isOwned = self[part][left].kind.part != nil
        let others = self[part].indices.filter { $0 != left && (self[part][$0].kind.part != nil) == isOwned }
        guard let right = generator.one(of: Array(others)) else { return }
        let names = [self[part][left].name, self[part][right].name]
        let last = generator.chance(60) ? names[0] : generator.one(of: freeNames(part)) ?? names[0]
        rename(left, of: part, to: names[1], from: [names[0]])
        rename(right, of: part, to: last, from: [names[1]])
    }

    private mutating func retype(in part: Part, _ generator: inout SeededGenerator) {
        guard !self[part].isEmpty else { return }
        let index = generator.below(self[part].count)
        let field = self[part][index]
        switch generator.below(6) {
        case 0:
            self[part][index] = Self.field(field.name, of: part, &generator)
            keepOneExpiry(part, index)
        case 1 where field.kind == .int: self[part][index].kind = .double
        case 1: self[part][index].hasDefault.toggle()
        case 2...3 where !field.kind.marks(in: part).isEmpty:
            guard let mark = generator.one(of: field.kind.marks(in: part)) else { return }
            self[part][index].marks.formSymmetricDifference([mark])
            keepOneExpiry(part, index)
        case 2 where field.kind == .int && part != .root: self[part][index].kind = .reference
        case 2...3 where field.kind == .reference: (self[part][index].kind, self[part][index].marks) = (.int, [])
        // One owned record of the own type is always Optional, or no record could be made.
        case _ where part == .b && field.kind == .one(.b): break
        default: self[part][index].isOptional.toggle()
        }
    }

    private static func field(_ name: String, of part: Part, _ generator: inout SeededGenerator) -> Field {
        var field = Field(name: name, kind: .int, isOptional: generator.chance(50), hasDefault: generator.chance(60))
        switch generator.below(13) {
        case 0, 1: field.kind = .int
        case 2: field.kind = .double
        case 3, 4: field.kind = .text
        case 5: field.kind = .texts
        case 6: field.kind = .date
        case 7: field.kind = .reference
        case 8, 9: field.kind = .one(owned(by: part, &generator))
        default: field.kind = .many(owned(by: part, &generator))
        }
        if generator.chance(40), let mark = generator.one(of: field.kind.marks(in: part)) { field.marks = [mark] }
        if part == .b, field.kind == .one(.b) { field.isOptional = true }
        return field
    }

    private static func owned(by part: Part, _ generator: inout SeededGenerator) -> Part {
        part == .root ? generator.pick(.a, .b) : .b
    }
}

// MARK: Random records

extension VersionSet {
    /// The time in each date, in seconds since the reference date: after that of ``TrialClock``.
    static let expiry = 900_000_000.0

    /// A record of the version: one value for `id`, then one for each field.
    func record(_ key: Int, _ generator: inout SeededGenerator) -> [FieldValue] {
        record(.root, key: key, depth: 0, &generator)
    }

    private func record(_ part: Part, key: Int, depth: Int, _ generator: inout SeededGenerator) -> [FieldValue] {
        [.int(key)] + self[part].map { value($0, of: part, depth: depth, &generator) }
    }

    private func value(
        _ field: Field, of part: Part, depth: Int, _ generator: inout SeededGenerator
    ) -> FieldValue {
        if field.isOptional, generator.chance(30) { return .null }
        switch field.kind {
        case .int: return .int(generator.below(5))
        case .double: return .double(Double(generator.below(5)) + 0.5)
        case .text: return .text(generator.pick("", "x", "é", "y"))
        case .texts: return .texts(generator.pick([], ["x"], ["x", ""]))
        case .date: return .double(Self.expiry)
        case .reference: return .int(1 + generator.below(3))
        case .one(let child):
            // An own type ends somewhere.
            if child == part, depth > 2 { return .null }
            return .record(record(child, key: generator.below(3), depth: depth + 1, &generator))
        case .many(let child):
            let count = child == part && depth > 2 ? 0 : generator.below(4)
            // Own keys are mostly apart, and sometimes not.
            let keys = generator.chance(70) ? generator.shuffled([0, 1, 2, 3]) : [0, 0, 1, 1]
            return .records(
                (0..<count).map { record(child, key: keys[$0], depth: depth + 1, &generator) })
        }
    }
}

// MARK: Types

/// The declarations of a worker's types at the moment. Each worker has types of its own, since a type's schema is the
/// type's.
protocol VersionWorker: Sendable {
    static var box: VersionBox { get }
    /// The declarations of other types with the same stored names.
    static var rival: VersionBox { get }
}

final class VersionBox: Sendable {
    private let version = Mutex(VersionSet())
    var current: VersionSet {
        get { version.withLock { $0 } }
        set { version.withLock { $0 = newValue } }
    }
}

enum Worker0: VersionWorker { static let (box, rival) = (VersionBox(), VersionBox()) }
enum Worker1: VersionWorker { static let (box, rival) = (VersionBox(), VersionBox()) }
enum Worker2: VersionWorker { static let (box, rival) = (VersionBox(), VersionBox()) }
enum Worker3: VersionWorker { static let (box, rival) = (VersionBox(), VersionBox()) }

/// Types that are not a worker's.
enum Rival<W: VersionWorker>: VersionWorker {
    static var box: VersionBox { W.rival }
    static var rival: VersionBox { W.box }
}

extension VersionSet {
    /// Another declaration under the same stored names.
    var rival: VersionSet {
        var other = self
        other[.root].append(Field(name: "other", kind: .int, isOptional: true))
        return other
    }
}

protocol VersionPart: Sendable { static var part: VersionSet.Part { get } }
enum PartRoot: VersionPart { static let part = VersionSet.Part.root }
enum PartA: VersionPart { static let part = VersionSet.Part.a }
enum PartB: VersionPart { static let part = VersionSet.Part.b }

/// The records to which references lead. They have all the values of an integer that may become a reference.
enum VersionGoal: ModelVersion {
    static let model = "Goal"
    static let fields: [VersionField] = [.id]
    static let records = (0...9).map { Versioned<VersionGoal>(.int($0)) }
}

enum GeneratedVersion<W: VersionWorker, P: VersionPart>: ModelVersion {
    static var model: String { P.part.rawValue }

    static var fields: [VersionField] {
        [.id]
            + W.box.current[P.part].map { field in
                VersionField(
                    field.name, type(field.kind), isOptional: field.isOptional, marks: field.marks,
                    default: field.defaultValue
                ).renamed(from: field.renamedFrom)
            }
    }

    private static func type(_ kind: VersionSet.Kind) -> FieldType {
        switch kind {
        case .int: .int
        case .double: .double
        case .text: .text
        case .texts: .texts
        case .date: .date
        case .reference: .reference(Versioned<VersionGoal>.self, .deny)
        case .one(let part): .one(type(part))
        case .many(let part): .many(type(part))
        }
    }

    private static func type(_ part: VersionSet.Part) -> any VersionRecord.Type {
        switch part {
        case .root: Versioned<GeneratedVersion<W, PartRoot>>.self
        case .a: Versioned<GeneratedVersion<W, PartA>>.self
        case .b: Versioned<GeneratedVersion<W, PartB>>.self
        }
    }
}
