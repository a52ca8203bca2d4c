/// Property lists written byte by byte, so that they can be wrong in every way.
struct RawPropertyList {
    var objects: [[UInt8]] = []
    var width = 2

    mutating func add(_ object: [UInt8]) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    mutating func string(_ text: String) -> Int { add(Self.head(0x50, text.utf8.count) + Array(text.utf8)) }
    mutating func uid(_ number: Int) -> Int { add([0x83] + Self.bigEndian(number, 4)) }
    mutating func int(_ number: Int) -> Int { add([0x13] + Self.bigEndian(number, 8)) }

    mutating func array(_ elements: [Int]) -> Int {
        add(Self.head(0xA0, elements.count) + elements.flatMap { Self.bigEndian($0, width) })
    }

    mutating func dictionary(_ pairs: [(Int, Int)]) -> Int {
        add(Self.head(0xD0, pairs.count) + (pairs.map(\.0) + pairs.map(\.1)).flatMap { Self.bigEndian($0, width) })
    }

    /// An archive with these objects as `$objects`, whose root is one of them.
    mutating func archive(_ entries: [Int], root: Int) -> [UInt8] {
        let top = dictionary([(string("root"), uid(root))])
        let all = array(entries)
        let list = dictionary([
            (string("$version"), int(100_000)), (string("$archiver"), string("NSKeyedArchiver")),
            (string("$top"), top), (string("$objects"), all),
        ])
        return bytes(top: list)
    }

    func bytes(top: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += Self.bigEndian(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, UInt8(width)]
        return bytes + Self.bigEndian(objects.count, 8) + Self.bigEndian(top, 8) + Self.bigEndian(table, 8)
    }

    static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + bigEndian(count, 4)
    }

    static func bigEndian(_ number: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
