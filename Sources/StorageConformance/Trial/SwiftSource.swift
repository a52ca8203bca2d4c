internal import Foundation
internal import StorageAPI

/// Values as Swift source, for the snippets of failures.
enum SwiftSource {
    /// The most elements of an array, and characters of a text, that a snippet shows.
    private static let maximumElements = 24
    private static let maximumScalars = 400

    /// An expression that makes the value.
    static func text(of value: Any) -> String {
        if let scalar = scalar(value) { return scalar }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "nil"
        case .collection, .set: return list(mirror.children.map(\.value))
        case .dictionary: return dictionary(mirror)
        case .tuple: return "(\(mirror.children.map { text(of: $0.value) }.joined(separator: ", ")))"
        case .enum: return ".\(value)"
        default: return call(name(of: type(of: value)), mirror)
        }
    }

    /// A type's name as a declaration can have it: `Holder<Int>` is `HolderOfInt`.
    static func name(of type: Any.Type) -> String { name(String(describing: type)) }

    private static func name(_ name: String) -> String {
        if let wrapped = name.inner("Optional<") { return self.name(wrapped) + "?" }
        if let element = name.inner("Array<") { return "[\(self.name(element))]" }
        if let model = name.inner("Ref<") { return "Ref<\(self.name(model))>" }
        return name.replacing("<", with: "Of").replacing(">", with: "").replacing(", ", with: "And")
    }

    private static func call(_ name: String, _ mirror: Mirror) -> String {
        let arguments = mirror.children.compactMap { child in
            child.label.map { "\($0): \(text(of: child.value))" }
        }
        return "\(name)(\(arguments.joined(separator: ", ")))"
    }

    private static func list(_ elements: [Any]) -> String {
        let shown = elements.prefix(maximumElements).map { text(of: $0) }.joined(separator: ", ")
        return elements.count > maximumElements ? "[\(shown) /* of \(elements.count) */]" : "[\(shown)]"
    }

    private static func dictionary(_ mirror: Mirror) -> String {
        let pairs = mirror.children.map { pair in
            Mirror(reflecting: pair.value).children.map { text(of: $0.value) }.joined(separator: ": ")
        }
        return pairs.isEmpty ? "[:]" : "[\(pairs.sorted().joined(separator: ", "))]"
    }

    private static func scalar(_ value: Any) -> String? {
        switch value {
        case let text as String: literal(text)
        case let number as Double: literal(number)
        case let number as Float: "Float(\(literal(Double(number))))"
        case let flag as Bool: flag ? "true" : "false"
        case let date as Date: "Date(timeIntervalSinceReferenceDate: \(literal(date.timeIntervalSinceReferenceDate)))"
        case let data as Data: "Data(\(list(Array(data))))"
        case let uuid as UUID: "UUID(uuidString: \"\(uuid)\")!"
        case let url as URL: "URL(string: \(literal(url.absoluteString)))!"
        case let decimal as Decimal: "Decimal(string: \"\(decimal)\")!"
        case let duration as Duration: "Duration(attoseconds: \(duration.attoseconds))"
        case let vector as Vector: "Vector(\(list(vector.elements)))"
        case let integer as any BinaryInteger: "\(integer)"
        default: nil
        }
    }

    /// A literal in which every scalar is distinguishable: everything except plain ASCII is escaped.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(maximumScalars) {
            switch scalar {
            case "\\", "\"": result += "\\\(scalar)"
            case " "..."~": result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        let isCut = text.unicodeScalars.count > maximumScalars
        return result + "\"" + (isCut ? " /* of \(text.utf8.count) bytes */" : "")
    }

    /// A literal with the same bits.
    static func literal(_ number: Double) -> String {
        if number.isNaN { return "Double.nan" }
        if number.isInfinite { return number < 0 ? "-Double.infinity" : "Double.infinity" }
        return "\(number)"
    }
}

extension String {
    /// The text between the prefix and the last character, if it has the prefix.
    fileprivate func inner(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count).dropLast()) : nil
    }
}
