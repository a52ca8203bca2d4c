import Foundation
import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// V1, V2, V3, V5: what is stored.
    static let values: [Mutant] = [
        text("text-cut-at-nul", breaking: [.v2], "Text ends at the first NUL.") {
            String($0.unicodeScalars.prefix { $0 != "\0" })
        },
        text("text-composed", breaking: [.v2], "Text is composed (NFC).") { $0.precomposedStringWithCanonicalMapping },
        text("text-decomposed", breaking: [.v2], "Text is decomposed (NFD).") {
            $0.decomposedStringWithCanonicalMapping
        },
        text("text-trimmed", breaking: [.v2], "White space at the ends of text is lost.") {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        },
        text("text-without-bom", breaking: [.v2], "U+FEFF at the beginning of text is lost.") {
            $0.unicodeScalars.first == "\u{FEFF}" ? String($0.unicodeScalars.dropFirst()) : $0
        },
        text("text-line-ends", breaking: [.v2], "CR LF becomes LF.") {
            $0.replacingOccurrences(of: "\r\n", with: "\n")
        },
        text("text-noncharacters", breaking: [.v2], "U+FFFF becomes U+FFFD.") {
            $0.replacingOccurrences(of: "\u{FFFF}", with: "\u{FFFD}")
        },
        text("text-basic-plane", breaking: [.v2], "Scalars beyond U+FFFF become a question mark.") { text in
            String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0xFFFF ? "?" : $0 }))
        },
        text("text-cut-long", breaking: [.v2], "Text is cut after 65,535 bytes.") {
            $0.utf8.count > 65_535 ? String($0.unicodeScalars.prefix(65_535)) : $0
        },
        stored("number-for-text", breaking: [.v2], "Text that looks like a number loses its zeros.") { value, column in
            guard column.type == .string, case .text(let text) = value, let number = Int(text) else { return value }
            return .text(String(number))
        },
        stored("int-through-double", breaking: [.v2], "Integers pass through Double.") { value, _ in
            guard case .int(let number) = value else { return value }
            return .int(Int64(exactly: Double(number)) ?? (number < 0 ? .min : .max))
        },
        stored("int-32-bits", breaking: [.v2], "Integers keep 32 bits.") { value, column in
            guard column.type == .int64, case .int(let number) = value else { return value }
            return .int(Int64(Int32(truncatingIfNeeded: number)))
        },
        stored("unsigned-wraps", breaking: [.v2], "UInt64 above Int64.max becomes negative.") { value, _ in
            guard case .unsigned(let number) = value else { return value }
            return .int(Int64(bitPattern: number))
        },
        stored("unsigned-saturates", breaking: [.v2], "UInt64 above Int64.max becomes Int64.max.") { value, _ in
            guard case .unsigned = value else { return value }
            return .int(.max)
        },
        stored("null-text-is-nil", breaking: [.v3], "The JSON null of an embedded value is nil.") { value, column in
            column.type == .embedded && column.isOptional && value == .text("null") ? .null : value
        },
        double("nan-is-nil", breaking: [.v2], "NaN becomes nil, or 0 where there is no nil.") { number, column in
            number.isNaN ? (column.isOptional ? .null : .double(0)) : nil
        },
        double("infinity-is-greatest", breaking: [.v2], "Infinity becomes the greatest number.") { number, column in
            number.isInfinite ? .double(number < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude) : nil
        },
        double("denormals-are-zero", breaking: [.v2], "Denormal numbers become 0.") { number, _ in
            number.isSubnormal ? .double(0) : nil
        },
        double("double-through-float", breaking: [.v2], "Doubles keep the bits of a Float.") { number, column in
            column.type == .double ? .double(Double(Float(number))) : nil
        },
        double("double-15-digits", breaking: [.v2], "Doubles are written with 15 digits.") { number, column in
            column.type == .double ? .double(Double(String(format: "%.15g", number)) ?? number) : nil
        },
        double("date-milliseconds", breaking: [.v2], "Dates keep milliseconds.") { number, column in
            column.type == .date ? .double((number * 1000).rounded() / 1000) : nil
        },
        double("date-after-1970", breaking: [.v2], "Dates before 1970 become 1970.") { number, column in
            column.type == .date && number < -978_307_200 ? .double(-978_307_200) : nil
        },
        stored("decimal-through-double", breaking: [.v2], "Decimals pass through Double.") { value, column in
            guard column.type == .decimal, case .text(let text) = value, let number = Double(text) else { return value }
            return .text(DecimalText.canonical(Decimal(number).description) ?? text)
        },
        stored("data-trailing-zeros", breaking: [.v2], "Zero bytes at the end of Data are lost.") { value, column in
            guard column.type == .data, case .blob(var bytes) = value else { return value }
            while bytes.last == 0 { bytes.removeLast() }
            return .blob(bytes)
        },
        stored("data-cut-at-nul", breaking: [.v2], "Data ends at the first zero byte.") { value, column in
            guard column.type == .data, case .blob(let bytes) = value else { return value }
            return .blob(Array(bytes.prefix { $0 != 0 }))
        },
        stored("url-lowercase", breaking: [.v1, .v4], "URLs are written in small letters.") { value, column in
            guard column.type == .url, case .text(let text) = value else { return value }
            return .text(text.lowercased())
        },
        stored("array-without-nil", breaking: [.v2, .v3], "nil elements of arrays are lost.") { value, column in
            guard case .array = column.type, case .text(let json) = value else { return value }
            return .text(
                json.replacingOccurrences(of: "null,", with: "").replacingOccurrences(of: ",null", with: "")
                    .replacingOccurrences(of: "[null]", with: "[]"))
        },
        stored("array-without-empty-text", breaking: [.v2, .v3], "Empty texts in arrays are lost.") { value, column in
            guard case .array = column.type, case .text(let json) = value else { return value }
            return .text(
                json.replacingOccurrences(of: "\"\",", with: "").replacingOccurrences(of: ",\"\"", with: ""))
        },
        stored("array-distinct", breaking: [.v2], "Equal neighbours in arrays become one.") { value, column in
            guard case .array = column.type, case .text(let json) = value, !json.contains("[["), json.count > 2
            else { return value }
            var elements: [Substring] = []
            for element in json.dropFirst().dropLast().split(separator: ",") where element != elements.last {
                elements.append(element)
            }
            return .text("[" + elements.joined(separator: ",") + "]")
        },
        stored("array-as-set", breaking: [.v1, .v2], "An array of texts has each of them once.") { value, column in
            guard column.type == .array(of: .string), case .text(let json) = value else { return value }
            var elements: [Substring] = []
            for element in json.dropFirst().dropLast().split(separator: ",") where !elements.contains(element) {
                elements.append(element)
            }
            return .text("[" + elements.joined(separator: ",") + "]")
        },
        stored("array-cut-long", breaking: [.v2], "An array has 8,192 elements at most.") { value, column in
            guard case .array = column.type, case .text(let json) = value, json.utf8.count > 16_384 else {
                return value
            }
            let elements = json.dropFirst().dropLast().split(separator: ",").prefix(8192)
            return .text("[" + elements.joined(separator: ",") + "]")
        },
        stored("array-of-whole-numbers", breaking: [.v2], "Whole Doubles in arrays are stored as integers of 64 bits.")
        {
            value, column in
            guard column.type == .array(of: .double), case .text(let json) = value else { return value }
            let elements = json.dropFirst().dropLast().split(separator: ",").map { element in
                guard let number = Double(element), number.magnitude >= 0x1p63, number.isFinite else {
                    return String(element)
                }
                return String(number < 0 ? Int64.min : Int64.max)
            }
            return .text("[" + elements.joined(separator: ",") + "]")
        },
        stored("decimals-of-arrays-with-places", breaking: [.v4], "Decimals in arrays are stored with two places.") {
            value, column in
            guard column.type == .array(of: .decimal), case .text(let json) = value else { return value }
            return .text(json.replacing(/\b([0-9]+)\b(?!\.)/) { match in "\(match.1).00" })
        },
        stored("embedded-lost", breaking: [.v1], "Embedded values are cut to {}.") { value, column in
            column.type == .embedded && !value.isNull ? .text("{}") : value
        },
        stored("empty-data-is-nil", breaking: [.v3], "Empty Data becomes nil.") { value, column in
            column.isOptional && value == .blob([]) ? .null : value
        },
        stored("empty-text-is-nil", breaking: [.v3], "Empty text becomes nil.") { value, column in
            column.isOptional && value == .text("") ? .null : value
        },
        stored("zero-is-nil", breaking: [.v3], "An Int of 0 becomes nil.") { value, column in
            column.isOptional && column.role == .property && column.type == .int64 && value == .int(0) ? .null : value
        },
        stored("empty-array-is-nil", breaking: [.v3], "An empty array becomes nil.") { value, column in
            guard case .array = column.type, column.isOptional else { return value }
            return value == .text("[]") ? .null : value
        },
        stored("nil-is-empty", breaking: [.v3], "nil text of one property becomes empty.") { value, column in
            column.isOptional && column.type == .string && column.property == "text" && value.isNull ? .text("") : value
        },
        stored("nil-is-zero", breaking: [.v3], "nil numbers become 0.") { value, column in
            column.isOptional && column.type == .int64 && column.role == .property && value.isNull ? .int(0) : value
        },
        Mutant(
            "damage-is-repaired", breaking: [.v5, .s12],
            "A text or number that no case of an enum has reads as one that a case has."
        ) {
            $0.read = { value, column in
                guard column.property == "value" else { return value }
                if column.type == .string, value == .text("gone") { return .text("small") }
                return column.type == .int64 && value == .int(6) ? .int(1) : value
            }
        },
    ]

    private static func text(
        _ id: String, breaking clauses: [Contract], _ sentence: String, _ change: @escaping @Sendable (String) -> String
    ) -> Mutant {
        stored(id, breaking: clauses, sentence) { value, column in
            guard column.type == .string, case .text(let text) = value else { return value }
            return .text(change(text))
        }
    }

    private static func double(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (Double, ColumnSchema) -> Value?
    ) -> Mutant {
        stored(id, breaking: clauses, sentence) { value, column in
            guard case .double(let number) = value else { return value }
            return change(number, column) ?? value
        }
    }

    /// A fault in every value that is written.
    private static func stored(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (Value, ColumnSchema) -> Value
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) { $0.written = { value, column, _ in change(value, column) } }
    }
}
