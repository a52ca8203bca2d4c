import Foundation
import StorageKit
import TestSupport

/// A model with every kind of property that queries tell apart, and rows whose values meet often.
@Storable struct Sample: Equatable {
    enum Color: String, Codable { case red, green, blue }

    @Storable struct Part: Equatable {
        var id: Int
        var name: String
        var weight: Double?
        var count = 0
    }

    var id: Int
    @Indexed var number: Int
    var maybe: Int?
    var small: Int8 = 0
    var wide: UInt64 = 0
    var price = 0.0
    var ratio: Float = 0
    var exact: Decimal = 0
    @Indexed var name: String
    var nick: String?
    var flag = false
    var color: Color = .red
    var mood: Color?
    var day = Date(timeIntervalSinceReferenceDate: 0)
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var tags: [String] = []
    var numbers: [Int]?
    var doubles: [Double] = []
    var colors: [Color] = []
    var bytes: [UInt8] = []
    var main: Part?
    var parts: [Part] = []
    var spares: [Part]?
}

extension Sample {
    static let texts = [
        "", "a", "A", "ab", "Ä", "a\u{308}", "ä", "straße", "STRASSE", "é%", "x_y", "Chengdu", "cheng", "\0",
    ]

    /// Rows made of a seed: the same seed, the same rows.
    static func rows(_ count: Int, seed: UInt64) -> [Sample] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { row($0, &random) }
    }

    private static func row(_ id: Int, _ random: inout SeededGenerator) -> Sample {
        var sample = Sample(id: id, number: random.pick([-3, -1, 0, 1, 2, 7, .max, .min]), name: random.pick(texts))
        sample.maybe = random.maybe { $0.pick([-1, 0, 1, 2, 5]) }
        sample.small = random.pick([-128, -1, 0, 1, 5, 127])
        sample.wide = random.pick([0, 1, 5, 1 << 63, .max])
        sample.price = random.pick([0, -0.0, 0.5, -2.25, 1e300, .infinity, .nan, .leastNonzeroMagnitude, 0.1])
        sample.ratio = random.pick([0, 0.1, -1.5, .nan])
        sample.exact = random.pick([
            0, 10, 9, Decimal(string: "-0.1") ?? 0, Decimal(string: "0.10000000000000000001") ?? 0,
        ])
        sample.nick = random.maybe { $0.pick(texts) }
        sample.flag = random.pick([true, false])
        sample.color = random.pick([.red, .green, .blue])
        sample.mood = random.maybe { $0.pick([.red, .green]) }
        sample.day = Date(timeIntervalSinceReferenceDate: random.pick([0, 0.25, -100, 5e9]))
        sample.tags = random.list { $0.pick(texts) }
        sample.numbers = random.maybe { $0.list { $0.pick([0, 1, 2, .max]) } }
        sample.doubles = random.list { $0.pick([0, -0.0, 1, .nan, .infinity]) }
        sample.colors = random.list { $0.pick([.red, .blue]) }
        sample.bytes = random.list { $0.pick([0, 1, 255]) }
        sample.main = random.maybe { part(&$0) }
        sample.parts = random.list { part(&$0) }
        sample.spares = random.maybe { $0.list { part(&$0) } }
        return sample
    }

    private static func part(_ random: inout SeededGenerator) -> Part {
        Part(
            id: random.pick([1, 2]), name: random.pick(texts), weight: random.maybe { $0.pick([0, 1.5, -2]) },
            count: random.pick([0, 1, 2]))
    }
}
