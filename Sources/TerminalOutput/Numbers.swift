extension Int {
    /// The number with a comma before every third digit.
    package var grouped: String {
        var text = ""
        for (place, digit) in String(magnitude).reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}

extension Int {
    /// The number with the noun, in the plural except for one: `1 record`, `2,000 records`.
    package func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

extension Double {
    /// The number with so many digits after the point.
    package func fixed(_ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((magnitude * Double(scale)).rounded())
        let whole = (scaled / scale).grouped
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + whole }
        let part = String(scaled % scale)
        return "\(sign)\(whole).\(String(repeating: "0", count: digits - part.count))\(part)"
    }
}

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The time in a readable unit: `0.42 ms`, `38.1 ms`, `2.04 s`.
    package var short: String {
        switch seconds {
        case ..<0.01: "\((seconds * 1000).fixed(2)) ms"
        case ..<1: "\((seconds * 1000).fixed(1)) ms"
        default: "\(seconds.fixed(2)) s"
        }
    }
}
