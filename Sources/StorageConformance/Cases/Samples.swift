/// Records whose every part follows from a number.
enum Samples {
    /// Printable ASCII text that does not compress; each number gives another.
    static func noise(_ length: Int, _ number: UInt64) -> String {
        var state = number &* 0x9E37_79B9_7F4A_7C15 | 1
        let bytes = (0..<length).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(0x20 + (state >> 40) % 95)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A person with children of every kind; each number gives other parts, some of them none.
    static func person(_ number: Int) -> Person {
        let lamps = (0..<number % 3).map { Pen(id: 1, color: "lamp \($0)", price: Double($0)) }
        let districts = (0..<number % 4).map { place in
            District(
                id: 7, name: "d\(place)", streets: (0..<place).map { "street \($0)" }, lamps: place == 1 ? nil : lamps)
        }
        return Person(
            id: number, name: "person \(number % 7)", age: number * 3 % 50, height: Double(number) / 8,
            nickname: number % 3 == 0 ? nil : "n\(number % 5)", isMember: number % 2 == 0,
            tags: (0..<number % 4).map { "t\($0)" },
            city: number % 2 == 0 ? nil : City(id: 1, name: "c\(number % 4)", spell: "s", districts: districts),
            pens: (0..<number % 5).map { Pen(id: 1, color: "p\($0)", price: Double(number * $0)) },
            spares: number % 3 == 0 ? nil : (0..<number % 3 - 1).map { Pen(id: $0) })
    }
}
