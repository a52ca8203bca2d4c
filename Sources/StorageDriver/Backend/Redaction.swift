/// Hides the passwords in a store's address, however it is spelled.
///
/// It hides more than the password where the text can be read in two ways: a password is shown in a log for years, an address
/// that is hidden by mistake can be typed again.
package enum Redaction {
    /// The address without its secrets, each of which becomes an ellipsis.
    ///
    /// Two forms have secrets: `backend://user:password@host/database`, with or without the slashes and the backend,
    /// and `name=value` pairs as libpq takes them (https://www.postgresql.org/docs/current/libpq-connect.html), which
    /// may also be a URL's options. A password that was typed without its escapes may have any character in it, so a
    /// user's password ends at the last `@`, and all text after the name of a secret is hidden.
    ///
    /// - Complexity: linear in the length of the text.
    package static func redacted(_ address: String) -> String {
        // By bytes: a letter and a combining mark are one Character, which is no separator.
        var shown = Array(address.utf8)
        if let start = secretValue(in: shown) { shown.replaceSubrange(start..., with: "…".utf8) }
        if let range = userPassword(in: shown) { shown.replaceSubrange(range, with: "…".utf8) }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns whether the question mark at which the options of a URL begin may be part of a password.
    package static func hidesOptions(of address: String) -> Bool {
        let text = Array(address.utf8)
        guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let isInUserPassword = userPassword(in: text)?.contains(mark) ?? false
        // A secret that is an option begins after the question mark.
        return isInUserPassword || secretValue(in: text).map { $0 <= mark } ?? false
    }

    // MARK: user:password@host

    /// The range between the first colon of a possible user and the last `@`.
    private static func userPassword(in text: [UInt8]) -> Range<Int>? {
        let at = UInt8(ascii: "@")
        guard let last = text.lastIndex(of: at) else { return nil }
        let start = authorityStart(in: text)
        guard start < last, let colon = text[start..<last].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return colon + 1..<last
    }

    /// The index at which a user's name would begin: after the scheme and its slashes.
    private static func authorityStart(in text: [UInt8]) -> Int {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return 0 }
        let isBeforeSlashes = text[(colon + 1)...].starts(with: "//".utf8)
        if isBeforeSlashes { return colon + 3 }
        // Without slashes the text before the colon may be a user.
        let word = String(decoding: text[..<colon], as: UTF8.self).lowercased()
        return BackendProduct.isScheme(word) ? colon + 1 : 0
    }

    // MARK: name=value

    private static let secretNames = ["password", "passwd", "passphrase", "pwd", "secret", "token"]

    /// Returns whether a parameter's name marks its value as secret.
    package static func isSecret(_ name: String) -> Bool { secretNames.contains(where: name.lowercased().contains) }

    /// The index after the first `name=` that is the name of a secret.
    private static func secretValue(in text: [UInt8]) -> Int? {
        for equals in text.indices where text[equals] == UInt8(ascii: "=") {
            // libpq allows spaces before the sign.
            let name = text[..<equals].trimmingSuffix(while: isSpace).suffix(while: isName)
            let word = String(decoding: name, as: UTF8.self)
            if isSecret(word) { return equals + 1 }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingSuffix(while condition: (UInt8) -> Bool) -> ArraySlice {
        self[..<(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)]
    }

    fileprivate func suffix(while condition: (UInt8) -> Bool) -> ArraySlice {
        self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
