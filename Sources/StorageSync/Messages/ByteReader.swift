import StorageAPI
import StorageDriver

/// Reads the bytes of a ``ByteWriter``, whoever has changed them since: each number is checked against the bytes that are
/// left before room is made for it.
struct ByteReader {
    private let bytes: [UInt8]
    private var place: Int
    private let end: Int

    init(_ bytes: [UInt8]) { self.init(bytes, from: 0, to: bytes.count) }

    /// - Parameters:
    ///   - start: the first byte, at most the number of bytes.
    ///   - end: the place after the last byte, at most the number of bytes.
    init(_ bytes: [UInt8], from start: Int, to end: Int) { (self.bytes, place, self.end) = (bytes, start, end) }

    var isAtEnd: Bool { place >= end }

    private static var cut: StorageError {
        StorageError(.corrupt, "A message or a row of synchronisation is cut or changed, so it is refused whole.")
    }

    mutating func byte() throws(StorageError) -> UInt8 {
        guard place < end else { throw Self.cut }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func isSet() throws(StorageError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw Self.cut
        }
    }

    /// A number below 2^56, so that sums of some are in range too.
    mutating func number() throws(StorageError) -> Int {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let next = try byte()
            guard shift < 56 else { throw Self.cut }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { break }
            shift += 7
        }
        guard let number = Int(exactly: value) else { throw Self.cut }
        return number
    }

    /// The most elements of a list. Each takes more memory than bytes of a message.
    private static let listLimit = 1 << 20
    /// More than the properties of a key.
    private static let keyLimit = 256

    /// The number of elements, each of which takes at least a byte.
    mutating func count() throws(StorageError) -> Int {
        let count = try number()
        guard count <= min(end - place, Self.listLimit) else { throw Self.cut }
        return count
    }

    private mutating func length() throws(StorageError) -> Int {
        let length = try number()
        guard length <= end - place else { throw Self.cut }
        return length
    }

    mutating func fixed() throws(StorageError) -> UInt64 {
        var value: UInt64 = 0
        for byte in try raw(8) { value = value << 8 | UInt64(byte) }
        return value
    }

    mutating func raw(_ count: Int) throws(StorageError) -> [UInt8] {
        guard count >= 0, count <= end - place else { throw Self.cut }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func data() throws(StorageError) -> [UInt8] { try raw(try length()) }

    mutating func text() throws(StorageError) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else { throw Self.cut }
        return text
    }

    mutating func optionalText() throws(StorageError) -> String? { try isSet() ? try text() : nil }

    mutating func value() throws(StorageError) -> Value {
        switch try byte() {
        case 0: return .null
        case 1: return .int(Int64(bitPattern: try fixed()))
        case 2:
            let number = try fixed()
            // A smaller one has one form only.
            guard number > UInt64(Int64.max) else { throw Self.cut }
            return .unsigned(number)
        case 3: return .double(Double(bitPattern: try fixed()))
        case 4: return .text(try text())
        case 5: return .blob(try data())
        default: throw Self.cut
        }
    }

    mutating func recordPlace() throws(StorageError) -> RecordPlace {
        let model = try text()
        var key: [Value] = []
        let parts = try count()
        guard parts <= Self.keyLimit else { throw Self.cut }
        for _ in 0..<parts { key.append(try value()) }
        return RecordPlace(model, key)
    }

    /// - Throws: `corrupt` if bytes are left.
    func requireEnd() throws(StorageError) {
        guard isAtEnd else { throw Self.cut }
    }
}
