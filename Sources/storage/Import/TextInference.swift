import StorageAPI
import StorageDriver
import StorageJSON

/// Finds the texts that are dates.
struct DateInference: Sendable {
    /// The form of dates.
    let form: Property.DateForm

    func isDate(_ text: String) -> Bool {
        guard form == .iso8601 else { return form.seconds(of: text) != nil }
        var text = text
        return text.withUTF8 { isDate(UnsafeRawBufferPointer($0)) }
    }

    func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard form == .iso8601 else { return form.seconds(of: String(decoding: bytes, as: UTF8.self)) != nil }
        guard bytes.count >= 10, bytes.count <= 40, DateText.seconds(bytes) != nil else { return false }
        // A date of today has microseconds; what has more digits stays a text, which keeps them.
        let fraction = bytes.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { $0 &- UInt8(ascii: "0") < 10 }
        return fraction.count <= 6
    }
}

/// The words in a column of delimited values, which may stand for truth values.
struct WordShape {
    /// True if all are of one pair.
    private(set) var areAll = true
    private var pair: Int?
    private var hasTrue = false
    private var hasFalse = false

    mutating func add(_ text: String) {
        guard areAll, let word = TruthWord(text), pair ?? word.pair == word.pair else { return fail() }
        pair = word.pair
        if word.isTrue { hasTrue = true } else { hasFalse = true }
    }

    /// True if all are true and false, as far as they are known.
    var isOfFlags: Bool { areAll && pair == 0 }

    mutating func fail() { areAll = false }

    /// True if they are truth values. Where all are `no` or all are `T` they may be anything.
    var areFlags: Bool { areAll && (pair == 0 || hasTrue && hasFalse) }
}
