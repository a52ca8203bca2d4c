import StorageAPI
import StorageDriver
import StorageJSON

// Values of a store on a page. A page may cut a value, and says so; exports have the exact values.
extension HTML {
    /// A value as the content of a cell.
    ///
    /// - Parameter most: the most characters to show.
    mutating func value(_ value: Value, _ type: ColumnType, most: Int) {
        switch (value, type) {
        case (.null, _): note("nil")
        case (.text(let text), .string) where text.isEmpty: note("empty")
        case (.blob(let bytes), .data): note(bytes.count == 1 ? "1 byte" : "\(bytes.count.grouped) bytes")
        case (.double, .date): date(value.text(as: .date) ?? "")
        case (.text(let text), _): cut(text, most)
        default: cut(value.text(as: type) ?? "", most)
        }
    }

    /// Bytes of a store: a picture as such, and a way to save them.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - address: the address from which they are downloaded.
    ///   - isSmall: true in a cell of a table.
    mutating func blob(_ bytes: [UInt8], at address: Address, isSmall: Bool) {
        let type = BlobType(of: bytes)
        let size = bytes.count == 1 ? "1 byte" : "\(bytes.count.grouped) bytes"
        if type.isPicture, bytes.count <= (isSmall ? 1 << 20 : 16 << 20) {
            void(
                "img", .class(isSmall ? "picture small" : "picture"), .init("src", address.text),
                .init("alt", "\(type.name) picture"), .init("loading", "lazy"), .init("decoding", "async"))
        }
        note(type == .unknown ? size : "\(type.name), \(size)")
        guard !bytes.isEmpty, !isSmall else { return }
        text(" ")
        element("a", .href(address), .flag("download"), text: "Download")
    }

    /// A value of a record's page: of a long text the beginning, and the rest after a click.
    ///
    /// - Parameter address: the address from which the value is downloaded.
    mutating func folded(_ value: Value, _ type: ColumnType, most: Int, at address: Address) {
        if case .blob(let bytes) = value, type == .data { return blob(bytes, at: address, isSmall: false) }
        guard case .text(let text) = value, let start = text.foldedStart else {
            return self.value(value, type, most: most)
        }
        element("details", .class("fold")) { html in
            html.element("summary") { html in
                html.element("span", .class("start"), text: start + "…")
                html.element("b", .class("unfold"), text: "Show all \(text.utf8.count.grouped) bytes")
                html.element("b", .class("refold"), text: "Show less")
            }
            html.value(value, type, most: most)
            if text.unicodeScalars.dropFirst(most).first != nil {
                html.text(" ")
                html.element("a", .href(address), .flag("download"), text: "Download")
            }
        }
    }

    /// A word about a value, and no value.
    mutating func note(_ text: String) { element("i", text: text) }

    private mutating func cut(_ text: String, _ most: Int) {
        let start = text.unicodeScalars.prefix(most)
        guard start.endIndex < text.unicodeScalars.endIndex else { return self.text(text) }
        self.text(String(String.UnicodeScalarView(start)))
        let left = text.utf8.count - start.reduce(0) { $0 + UTF8.width($1) }
        element("i", .class("more"), text: "… \(left.grouped) more bytes")
    }

    /// `2026-11-25 04:20:00`, without the time where it is midnight. All times are UTC.
    private mutating func date(_ text: String) {
        guard text.hasSuffix("Z"), let mark = text.firstIndex(of: "T") else { return self.text(text) }
        let time = text[text.index(after: mark)...].dropLast()
        self.text(String(text[..<mark]))
        guard time != "00:00:00" else { return }
        self.text(" ")
        element("time", text: String(time))
    }
}

extension Value {
    /// True if an address may have the value, and not a text or bytes of many megabytes.
    var fitsAddress: Bool {
        switch self {
        case .text(let text): text.utf8.count <= 2000
        case .blob(let bytes): bytes.count <= 2000
        default: true
        }
    }
}

extension String {
    /// The beginning of a text that is too long to be shown at once; nil if it is not.
    fileprivate var foldedStart: String? {
        let (most, mostLines) = (600, 10)
        var (end, lines) = (unicodeScalars.startIndex, 0)
        for _ in 0..<most {
            guard end < unicodeScalars.endIndex else { return nil }
            if unicodeScalars[end] == "\n" { lines += 1 }
            if lines == mostLines { break }
            end = unicodeScalars.index(after: end)
        }
        // A click that shows a few words more is not worth it.
        let rest = unicodeScalars[end...].prefix(most / 4)
        guard rest.endIndex < unicodeScalars.endIndex || rest.contains("\n") else { return nil }
        return String(unicodeScalars[..<end])
    }
}

extension [Value] {
    /// A key for people, where its types are not known: a UUID in its usual form, since no other key has bytes.
    var shown: String {
        map { part in
            if case .blob = part, let text = part.text(as: .uuid) { text } else { part.description }
        }.joined(separator: ", ")
    }
}

extension Int {
    /// The number with commas between thousands.
    var grouped: String {
        var digits = ""
        for (place, digit) in String(magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { digits.append(",") }
            digits.append(digit)
        }
        return (self < 0 ? "−" : "") + String(digits.reversed())
    }

    /// `1 record`, `2 records`.
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(grouped) \(noun)s" }
}

extension ColumnType {
    /// True if values are aligned to the right.
    var isNumber: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .duration:
            true
        default: false
        }
    }

    /// True if texts are set in the typeface of code.
    var isCode: Bool {
        switch self {
        case .array, .embedded, .uuid, .vector: true
        default: false
        }
    }
}
