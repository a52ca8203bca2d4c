import Foundation
import StorageKit

/// A model with a column of each type.
@Storable struct Sampler: Equatable {
    enum Size: String { case small, large }

    @Key var group: String
    @Key var number: Int
    var flag: Bool
    var tiny: Int8
    var wide: Int64
    var unsigned: UInt64
    var single: Float
    var double: Double
    var text: String?
    var bytes: Data
    var moment: Date
    var identifier: UUID
    var link: URL
    var price: Decimal
    var size: Size
    var words: [String]
    var grid: [[Int]]
    var numbers: [Double]?
    var parts: [SamplerPart] = []
    var main: SamplerPart?
    var spares: [SamplerPart]?
}

@Storable struct SamplerPart: Equatable {
    var id: Int
    var name: String
    var bolts: [SamplerBolt] = []
}

@Storable struct SamplerBolt: Equatable {
    var id: Int
    var length: Double
}

extension Sampler {
    /// The values at which types end, and those that are easily lost.
    static let all: [Sampler] = [
        Sampler(
            group: "", number: .min, flag: false, tiny: .min, wide: .min, unsigned: 0, single: -.infinity,
            double: .nan, text: nil, bytes: Data(), moment: Date(timeIntervalSinceReferenceDate: -1e9),
            identifier: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            link: URL(filePath: "/"), price: Decimal(string: "-0.00000000000000000001") ?? 0, size: .small, words: [],
            grid: [], numbers: nil, spares: nil),
        Sampler(
            group: "a\0b", number: 0, flag: true, tiny: .max, wide: .max, unsigned: .max, single: .pi,
            double: .leastNonzeroMagnitude, text: "e\u{301} 上海 \0 👩‍👩‍👧", bytes: Data([0, 255, 0]),
            moment: Date(timeIntervalSince1970: 0.1),
            identifier: UUID(), link: URL(filePath: "/b"), price: Decimal(string: "12345678901234567890.5") ?? 0,
            size: .large, words: ["", "\0", "é", "e\u{301}"], grid: [[], [1], [.min, .max]],
            numbers: [.nan, .infinity, 0.1],
            parts: [
                SamplerPart(id: 1, name: "first", bolts: [SamplerBolt(id: 1, length: 0.5)]),
                SamplerPart(id: 1, name: "second"),
            ],
            main: SamplerPart(
                id: 7, name: "main", bolts: [SamplerBolt(id: 1, length: 1), SamplerBolt(id: 1, length: 2)]),
            spares: []),
        Sampler(
            group: "a\0b", number: 1, flag: true, tiny: 0, wide: 1, unsigned: 1 << 63, single: 1, double: -0.5,
            text: "", bytes: Data(repeating: 7, count: 70_000), moment: Date(timeIntervalSinceReferenceDate: 0),
            identifier: UUID(), link: URL(filePath: "/c"), price: 1, size: .small, words: ["x"], grid: [[0]],
            numbers: [], spares: [SamplerPart(id: 2, name: "spare")]),
    ]
}

/// A type that owns itself.
@Storable struct Branchlet: Equatable {
    var id: Int
    var name = ""
    var children: [Branchlet] = []

    static func tree(_ id: Int, _ depth: Int) -> Branchlet {
        Branchlet(id: id, name: "\(id)", children: depth == 0 ? [] : (0..<2).map { tree($0, depth - 1) })
    }
}

/// A model whose keys the store assigns.
@Storable struct Ticket: Equatable {
    var id: Int?
    @Indexed var title: String
    @Unique var code: String
}
