/// The address of a page of this site: a path, and parameters that are escaped where they are added.
struct Address: Hashable {
    private(set) var text: String
    private var hasParameters = false

    init(_ path: StaticString) { text = path.description }

    /// Adds a parameter; nil adds none.
    func adding(_ name: StaticString, _ value: String?) -> Address {
        guard let value else { return self }
        var address = self
        address.text += (hasParameters ? "&" : "?") + name.description + "=" + Self.escaped(value)
        address.hasParameters = true
        return address
    }

    func adding(_ name: StaticString, _ values: [String]) -> Address {
        values.reduce(self) { $0.adding(name, $1) }
    }

    /// A text as a part of an address (RFC 3986).
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ","):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return escaped
    }
}

/// The parameters of a request, in their order.
struct Parameters: Sendable {
    private let list: [(name: String, value: String)]

    /// Reads the part of an address after the question mark, as a form or ``Address`` writes it.
    init(_ query: String) {
        list = query.split(separator: "&").map { part in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.plain(halves[0]), halves.count > 1 ? Self.plain(halves[1]) : "")
        }
    }

    /// The first value of the name; nil if none exists, or if it is empty.
    subscript(_ name: String) -> String? { list.first { $0.name == name && !$0.value.isEmpty }?.value }

    func all(_ name: String) -> [String] { list.filter { $0.name == name }.map(\.value) }

    private static func plain(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
