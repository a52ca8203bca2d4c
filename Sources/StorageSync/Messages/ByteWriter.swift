import StorageAPI
import StorageDriver

/// Writes the parts of messages and of rows: numbers of variable length, texts and values.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(byte: UInt8) { bytes.append(byte) }

    /// A number that is not negative, in groups of 7 bits, the least significant first. Less than 0 is written as 0.
    mutating func add(count: Int) {
        var rest = UInt64(max(count, 0))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// 8 bytes, the most significant first, so that rows sort by numbers.
    mutating func add(fixed number: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Bytes whose number the reader knows.
    mutating func add(raw: [UInt8]) { bytes += raw }

    mutating func add(data: [UInt8]) {
        add(count: data.count)
        bytes += data
    }

    mutating func add(text: String) {
        add(count: text.utf8.count)
        bytes += text.utf8
    }

    mutating func add(optional text: String?) {
        add(byte: text == nil ? 0 : 1)
        if let text { add(text: text) }
    }

    mutating func add(_ value: Value) {
        switch value {
        case .null: add(byte: 0)
        case .int(let number):
            add(byte: 1)
            add(fixed: UInt64(bitPattern: number))
        case .unsigned(let number):
            add(byte: 2)
            add(fixed: number)
        case .double(let number):
            add(byte: 3)
            add(fixed: number.bitPattern)
        case .text(let text):
            add(byte: 4)
            add(text: text)
        case .blob(let data):
            add(byte: 5)
            add(data: data)
        }
    }

    mutating func add(_ place: RecordPlace) {
        add(text: place.model)
        add(count: place.key.count)
        for value in place.key { add(value) }
    }
}

/// One record of one model, stored or not.
struct RecordPlace: Hashable, Sendable {
    /// The model's stored name.
    let model: String
    /// One value for each key property.
    let key: [Value]

    init(_ model: String, _ key: [Value]) { (self.model, self.key) = (model, key) }
}
