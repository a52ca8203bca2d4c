public import StorageAPI
internal import StorageDigest
import StorageDriver

// The text of a lock: a heading, the digest of all that follows, and a line for each model and property.

extension Store.SchemaLock {
    /// The text of the file.
    public var text: String {
        let body = Self.body(models)
        return Self.heading + "\nformat 1\ndigest \(Self.digest(body))\n" + body
    }

    private static let heading = """
        # The schema of a store's models. Do not edit or merge it: a program or storage schema --lock writes it anew.
        # A change of this file is a change of what is stored.
        """

    private static func body(_ models: [RecordSchema]) -> String {
        var lines: [String] = []
        for model in models {
            lines += ["", "model \(quoted(model.name))" + (model.assignsKeys ? " assigns-keys" : "")]
            append(model, to: &lines, "    ")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func append(_ schema: RecordSchema, to lines: inout [String], _ indent: String) {
        for property in schema.properties {
            let optional = property.isOptional ? "?" : ""
            var words = [quoted(property.name)]
            switch property.kind {
            case .column(let type): words.append(type.description + optional)
            case .child(let child): words += ["one" + optional, quoted(child.name)]
            case .children(let child): words += ["many" + optional, quoted(child.name)]
            case .ancestor(let name, let isMany):
                words += ["again", (isMany ? "many" : "one") + optional, quoted(name)]
            }
            if property.isKey { words.append("key") }
            if property.isIndexed { words.append("indexed") }
            if property.isUnique { words.append("unique") }
            if property.isExpiry { words.append("expires") }
            if let weight = property.searchWeight { words += ["searched", String(weight)] }
            if let reference = property.reference {
                words += ["refers", quoted(reference.model), reference.onDelete.rawValue]
                if reference.part > 0 { words += ["part", String(reference.part)] }
                if reference.isElement { words.append("element") }
            }
            lines.append(indent + words.joined(separator: " "))
            switch property.kind {
            case .child(let child), .children(let child): append(child, to: &lines, indent + "    ")
            case .column, .ancestor: break
            }
        }
    }

    /// A name, in quotes where it is no plain word.
    private static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        guard !isPlain || name.isEmpty else { return name }
        var bytes: [UInt8] = []
        JSONText.append(name, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digest(_ body: String) -> String {
        var hash = SHA256()
        var body = body
        body.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        return Hexadecimal.text(of: hash.finish())
    }

    // MARK: Reading

    /// Reads the text of a file.
    ///
    /// - Throws: `corrupt` if it was edited or merged after it was written, or is no lock; `schemaNewer` if a later version has
    ///   written it.
    public init(text: String) throws(StorageError) {
        // Git may have made the ends of lines those of another system.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        guard let place = lines.firstIndex(where: { $0.hasPrefix("format ") }), lines.indices.contains(place + 1),
            lines[place + 1].hasPrefix("digest "), lines[..<place].allSatisfy({ $0.hasPrefix("#") })
        else {
            throw Self.problem(
                lines.contains { $0.hasPrefix("<<<<<<<") }
                    ? "Two branches have changed the schema" : "The file is not a lock of a schema")
        }
        guard lines[place] == "format 1" else {
            throw StorageError(.schemaNewer, "A later version has written the lock; update this program.")
        }
        let body = lines[(place + 2)...]
        guard lines[place + 1] == "digest \(Self.digest(body.joined(separator: "\n")))" else {
            throw Self.problem("The file was edited or merged since it was written")
        }
        var reader = LockReader(lines: body)
        self.init(try reader.models())
    }

    fileprivate static func problem(_ text: String) -> StorageError {
        StorageError(.corrupt, "\(text). Take either version, and write it anew.")
    }
}

/// Reads the lines of a lock.
private struct LockReader {
    private var lines: ArraySlice<[String]>
    private var indents: ArraySlice<Int>

    init(lines: ArraySlice<String>) {
        let lines = lines.filter { !$0.isEmpty }
        indents = lines.map { $0.prefix { $0 == " " }.count }[...]
        self.lines = lines.map(Self.words)[...]
    }

    mutating func models() throws(StorageError) -> [RecordSchema] {
        var models: [RecordSchema] = []
        while let words = lines.popFirst() {
            _ = indents.popFirst()
            guard words.count > 1, words[0] == "model" else { throw Self.problem(words) }
            let properties = try properties(below: 0)
            models.append(
                RecordSchema(
                    name: words[1], properties: properties, assignsKeys: words.dropFirst(2) == ["assigns-keys"]))
        }
        return models
    }

    private mutating func properties(below indent: Int) throws(StorageError) -> [RecordSchema.Property] {
        var properties: [RecordSchema.Property] = []
        while let next = indents.first, next > indent, let words = lines.popFirst() {
            _ = indents.popFirst()
            // The digest is right, so a depth that no model has is a forgery.
            guard next <= 4 * Self.maximumDepth else { throw Self.problem(words) }
            properties.append(try property(words[...], at: next))
        }
        return properties
    }

    private static let maximumDepth = 128

    private mutating func property(
        _ words: ArraySlice<String>, at indent: Int
    ) throws(StorageError) -> RecordSchema.Property {
        var rest = words
        guard let name = rest.popFirst(), var type = rest.popFirst() else { throw Self.problem(Array(words)) }
        let isAgain = type == "again"
        if isAgain, let next = rest.popFirst() { type = next }
        let isOptional = type.hasSuffix("?")
        if isOptional { type.removeLast() }
        let kind: RecordSchema.Kind
        if type == "one" || type == "many" {
            guard let model = rest.popFirst() else { throw Self.problem(Array(words)) }
            if isAgain {
                kind = .ancestor(model, isMany: type == "many")
            } else {
                let schema = RecordSchema(name: model, properties: try properties(below: indent))
                kind = type == "many" ? .children(schema) : .child(schema)
            }
        } else {
            guard !isAgain, let column = ColumnType(type) else { throw Self.problem(Array(words)) }
            kind = .column(column)
        }
        var property = RecordSchema.Property(name: name, kind: kind, isOptional: isOptional)
        while let mark = rest.popFirst() {
            switch mark {
            case "key": property.isKey = true
            case "indexed": property.isIndexed = true
            case "unique": property.isUnique = true
            case "expires": property.isExpiry = true
            case "searched":
                guard let weight = rest.popFirst().flatMap({ Double($0) }) else { throw Self.problem(Array(words)) }
                property.searchWeight = weight
            case "refers":
                guard let model = rest.popFirst(), let rule = rest.popFirst().flatMap(DeleteRule.init) else {
                    throw Self.problem(Array(words))
                }
                property.reference = ReferenceSchema(model: model, onDelete: rule)
            case "part":
                guard let part = rest.popFirst().flatMap({ Int($0) }) else { throw Self.problem(Array(words)) }
                property.reference?.part = part
            case "element": property.reference?.isElement = true
            default: throw Self.problem(Array(words))
            }
        }
        return property
    }

    private static func problem(_ words: [String]) -> StorageError {
        StorageError(.corrupt, "The lock has a line that cannot be read: \(words.joined(separator: " ")).")
    }

    /// The words of a line, those in quotes without them.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var rest = line[...].drop { $0 == " " }
        while !rest.isEmpty {
            if rest.first == "\"", let end = endOfQuotes(rest),
                case .string(let name)? = ValueForm.json(String(rest[...end]))
            {
                words.append(name)
                rest = rest[rest.index(after: end)...]
            } else {
                let word = rest.prefix { $0 != " " }
                words.append(String(word))
                rest = rest.dropFirst(word.count)
            }
            rest = rest.drop { $0 == " " }
        }
        return words
    }

    private static func endOfQuotes(_ text: Substring) -> Substring.Index? {
        var isEscaped = false
        for place in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[place] == "\\" {
                isEscaped = true
            } else if text[place] == "\"" {
                return place
            }
        }
        return nil
    }
}
