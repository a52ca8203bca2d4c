import StorageDriver

/// The bytes of a record's key, which sort as keys do.
///
/// Each value is a byte for its kind and its content: integers and doubles with the most significant byte first and their signs
/// turned, texts and blobs with 00 FF in the place of 00 and 00 00 at the end, as in the tuples of FoundationDB.
enum OrderedKey {
    private enum Kind: UInt8 { case null = 0, int = 1, unsigned = 2, double = 3, text = 4, blob = 5 }

    static func bytes(of key: [Value]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in key {
            switch value {
            case .null: bytes.append(Kind.null.rawValue)
            case .int(let value): number(UInt64(bitPattern: value) ^ 1 << 63, .int, to: &bytes)
            case .unsigned(let value): number(value, .unsigned, to: &bytes)
            case .double(let value):
                // The two zeros are equal.
                let bits = (value == 0 ? 0 : value).bitPattern
                number(bits >> 63 == 1 ? ~bits : bits | 1 << 63, .double, to: &bytes)
            case .text(let text): content(text.utf8, .text, to: &bytes)
            case .blob(let blob): content(blob, .blob, to: &bytes)
            }
        }
        return bytes
    }

    private static func number(_ value: UInt64, _ kind: Kind, to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private static func content(_ content: some Sequence<UInt8>, _ kind: Kind, to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        for byte in content {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes += [0, 0]
    }

    /// - Throws: `corrupt` for bytes that are no key.
    static func key(of bytes: [UInt8]) throws(StorageError) -> [Value] {
        var key: [Value] = []
        var at = 0
        while at < bytes.count {
            let kind = Kind(rawValue: bytes[at])
            at += 1
            switch kind {
            case .null?: key.append(.null)
            case .int?: key.append(.int(Int64(bitPattern: try number(bytes, &at) ^ 1 << 63)))
            case .unsigned?: key.append(.unsigned(try number(bytes, &at)))
            case .double?:
                let bits = try number(bytes, &at)
                key.append(.double(Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)))
            case .text?: key.append(.text(String(decoding: try content(bytes, &at), as: UTF8.self)))
            case .blob?: key.append(.blob(try content(bytes, &at)))
            case nil: throw broken
            }
        }
        return key
    }

    private static func number(_ bytes: [UInt8], _ at: inout Int) throws(StorageError) -> UInt64 {
        guard at + 8 <= bytes.count else { throw broken }
        defer { at += 8 }
        return bytes[at..<at + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func content(_ bytes: [UInt8], _ at: inout Int) throws(StorageError) -> [UInt8] {
        var content: [UInt8] = []
        while at + 1 < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == 0 {
                at += 1
                if bytes[at - 1] == 0 { return content }
                guard bytes[at - 1] == 0xFF else { throw broken }
            }
            content.append(byte)
        }
        throw broken
    }

    static var broken: StorageError {
        StorageError(.corrupt, "The search index has a key that is none; rebuild it with rebuildSearch(of:).")
    }
}
