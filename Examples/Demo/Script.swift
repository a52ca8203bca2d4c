/// A writing system, as far as the demo tells names apart.
enum Script: CaseIterable {
    case han, arabic, devanagari, hangul, thai

    var title: String {
        switch self {
        case .han: "Chinese"
        case .arabic: "Arabic"
        case .devanagari: "Devanagari"
        case .hangul: "Hangul"
        case .thai: "Thai"
        }
    }

    private var range: ClosedRange<UInt32> {
        switch self {
        case .han: 0x4E00...0x9FFF
        case .arabic: 0x0600...0x06FF
        case .devanagari: 0x0900...0x097F
        case .hangul: 0xAC00...0xD7A3
        case .thai: 0x0E00...0x0E7F
        }
    }

    /// Returns whether all of the name but spaces is of this script.
    func writes(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { range.contains($0.value) || $0 == " " }
    }
}

extension City {
    /// The first alternate name in the script.
    func name(in script: Script) -> String? { alternateNames.first(where: script.writes) }
}
