/// Makes names that differ even if an engine or a file system ignores the case of ASCII letters.
package struct NameAllocator {
    private var used: Set<String> = []
    private let reservedPrefixes: [String]

    package init(used: [String] = [], reservedPrefixes: [String] = []) {
        self.used = Set(used.map(Self.folded))
        self.reservedPrefixes = reservedPrefixes.map(Self.folded)
    }

    /// The proposed name, with a number after it if it is taken.
    package mutating func allocate(_ proposal: String) -> String {
        let isReserved = reservedPrefixes.contains { Self.folded(proposal).utf8.starts(with: $0.utf8) }
        let base = isReserved ? "_" + proposal : proposal
        var name = base
        var number = 2
        while !used.insert(Self.folded(name)).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    private static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
