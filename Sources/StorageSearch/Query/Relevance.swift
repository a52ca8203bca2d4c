/// The statistics of the searched documents, from which relevance is computed.
package struct SearchStatistics: Hashable, Sendable {
    /// The number of documents.
    package var documents: Int
    /// The number of words of each property, in all documents together.
    package var words: [Int]

    package init(documents: Int, words: [Int]) {
        self.documents = documents
        self.words = words
    }
}

/// BM25 over weighted properties, computed in one written order, so that it is the same on every platform.
///
/// A word's frequency in a document is, added over the properties in their order,
/// `weight · occurrences / (1 − b + b · length / average length)`, and its part of the relevance
/// `idf · frequency · (k1 + 1) / (frequency + k1)`. The parts are added in the order of the query's terms. A length of more than
/// 65,535 words counts as that.
package struct Relevance: Sendable {
    package static let k1 = 1.2
    package static let b = 0.75
    package static let longest = 65_535

    /// The weight of an occurrence in each property, for a document of a given number of words.
    let weights: [Double]
    private let averages: [Double]
    private let documents: Double
    /// The factors of short texts by property and length, if many are needed.
    private let factors: [[Double]]

    /// - Parameter documents: the number of documents whose relevance is computed.
    package init(_ statistics: SearchStatistics, weights: [Double], of documents: Int) {
        self.weights = weights
        self.documents = Double(statistics.documents)
        averages = statistics.words.map { Double($0) / max(Double(statistics.documents), 1) }
        factors = zip(weights, averages).map { weight, average in
            (0..<min(documents, 1024)).map { Self.factor(weight, length: $0, average: average) }
        }
    }

    private static func factor(_ weight: Double, length: Int, average: Double) -> Double {
        guard average > 0 else { return weight }
        return weight / ((1 - b) + b * (Double(length) / average))
    }

    /// Returns the weight of an occurrence in a property with a number of words.
    @inline(__always)
    func factor(_ property: Int, length: Int) -> Double {
        length < factors[property].count
            ? factors[property][length] : Self.factor(weights[property], length: length, average: averages[property])
    }

    /// Returns the weight of a term that occurs in a number of documents.
    package func rarity(_ count: Int) -> Double {
        let n = Double(count)
        return Self.logarithm(1 + (documents - n + 0.5) / (n + 0.5))
    }

    /// The part of the relevance that a term of a frequency has.
    @inline(__always)
    package static func part(_ rarity: Double, _ frequency: Double) -> Double {
        rarity * (frequency * (k1 + 1) / (frequency + k1))
    }

    /// The natural logarithm of a finite number of at least 1, by a series, so that no platform's library decides its bits.
    package static func logarithm(_ value: Double) -> Double {
        var exponent = value.exponent
        var significand = value.significand
        if significand > 1.4142135623730951 {
            significand /= 2
            exponent += 1
        }
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        var sum = 0.0
        for odd in stride(from: 25, through: 1, by: -2) { sum = sum * square + 1 / Double(odd) }
        return 2 * ratio * sum + Double(exponent) * 0.6931471805599453
    }
}
