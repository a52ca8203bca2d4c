internal import StorageDriver

/// The names of entries: folders and a file, `[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*`, at most 100 bytes.
package enum EntryName {
    /// Returns whether an entry may have this name. Components `.` and `..`, a leading `-`, and the trailer's name are
    /// not allowed.
    package static func isValid(_ name: some Collection<UInt8>) -> Bool {
        guard (1...StoreFormat.maximumNameLength).contains(name.count), !name.elementsEqual(TarHeader.trailerName.utf8)
        else { return false }
        var component = (length: 0, dots: 0)
        for byte in name {
            if byte == UInt8(ascii: "/") {
                guard isComponent(component) else { return false }
                component = (0, 0)
            } else {
                guard isAllowed(byte), component.length > 0 || byte != UInt8(ascii: "-") else { return false }
                component.length += 1
                if byte == UInt8(ascii: ".") { component.dots += 1 }
            }
        }
        return isComponent(component)
    }

    /// Returns whether a run of allowed characters is a valid component: not empty, and not the dots that name folders.
    private static func isComponent(_ component: (length: Int, dots: Int)) -> Bool {
        component.length > (component.dots == component.length ? 2 : 0)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isPlain(byte) || isUpperCase(byte) || byte == UInt8(ascii: ".")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Any text as a part of a component: equal only for equal texts, also where a file system ignores case.
    ///
    /// Lower-case letters, digits, `_` and `-` are unchanged (except a leading `-`). Every other byte of the UTF-8
    /// becomes `.` and two lower-case hexadecimal digits. The empty text becomes `.empty`. With `keepingCase`,
    /// upper-case letters are unchanged too; use it for names that differ in more than case. A result of more than
    /// `limit` bytes (at least 40) is cut and ends with `.x` and 128 bits of XXH64. Such a name does not prove
    /// equality, so the entry's contents must identify it.
    package static func escape(_ text: String, keepingCase: Bool = false, limit: Int = 60) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isLeadingDash = bytes.isEmpty && byte == UInt8(ascii: "-")
            if (isPlain(byte) && !isLeadingDash) || (keepingCase && isUpperCase(byte)) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "."))
                bytes += Hexadecimal.digits(of: [byte])
            }
        }
        if bytes.isEmpty { return ".empty" }
        if bytes.count > limit { bytes = shortened(bytes, to: limit) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func shortened(_ bytes: [UInt8], to limit: Int) -> [UInt8] {
        let sums = bytes.withUnsafeBytes { [XXHash64.hash($0), XXHash64.hash($0, seed: 1)] }
        let digits = sums.flatMap { sum in withUnsafeBytes(of: sum.bigEndian) { Hexadecimal.digits(of: $0) } }
        return bytes.prefix(max(limit, 40) - digits.count - 2) + Array(".x".utf8) + digits
    }

    static func require(_ name: String) throws(StorageError) {
        guard name.utf8.withContiguousStorageIfAvailable({ isValid($0) }) ?? isValid(name.utf8) else {
            throw StorageError(.invalidValue, "An entry of a store file cannot have the name \(name.debugDescription).")
        }
    }
}
