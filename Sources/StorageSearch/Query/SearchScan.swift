/// A search without an index, which says what an index has to find.
package struct SearchScan {
    /// The names of the properties that are searched, with the weights of their words.
    package let properties: [SearchProperty]
    private let documents: [Words]

    /// The words of a document, with the places of each, and the number of words by property.
    private struct Words {
        var places: [[[UInt8]: [Int]]]
        var lengths: [Int]
    }

    /// A scan of documents. A document has the texts of each property, of which there may be several.
    package init(_ documents: [[[String]]], properties: [SearchProperty]) {
        self.properties = properties
        self.documents = documents.map { texts in
            var words = Words(places: [], lengths: [])
            for values in texts {
                var places: [[UInt8]: [Int]] = [:]
                var position = 0
                var count = 0
                for text in values {
                    position = Analyzer.words.forEachWord(of: text, from: position) {
                        places[Array($0.bytes), default: []].append($0.position)
                        count += 1
                    }
                    position += SearchDocument.gap
                }
                words.places.append(places)
                words.lengths.append(min(count, Relevance.longest))
            }
            return words
        }
    }

    /// The indexes of the documents that a query finds.
    package func matches(_ query: SearchQuery) -> [Int] {
        guard !query.isEmpty else { return [] }
        return documents.indices.filter { index in
            query.clauses.allSatisfy { $0.contains { has($0, documents[index]) } }
                && !query.exclusions.contains { has($0, documents[index]) }
        }
    }

    /// The documents that a query finds, with their relevance, in their order.
    package func ranked(_ query: SearchQuery) -> [(index: Int, relevance: Double)] {
        let statistics = SearchStatistics(
            documents: documents.count,
            words: properties.indices.map { property in documents.reduce(0) { $0 + $1.lengths[property] } })
        let relevance = Relevance(statistics, weights: properties.map(\.weight), of: 0)
        let terms = query.positiveTerms.map { term in
            (term, relevance.rarity(documents.count { has(term, $0) }))
        }
        return matches(query).map { index in
            var sum = 0.0
            for (term, rarity) in terms where has(term, documents[index]) {
                var frequency = 0.0
                for property in properties.indices {
                    let count = self.count(term, documents[index], property: property)
                    guard count > 0 else { continue }
                    let length = documents[index].lengths[property]
                    frequency += Double(count) * relevance.factor(property, length: length)
                }
                sum += Relevance.part(rarity, frequency)
            }
            return (index, sum)
        }
    }

    private func has(_ term: SearchTerm, _ words: Words) -> Bool {
        properties.indices.contains { count(term, words, property: $0) > 0 }
    }

    /// The number of places where a term begins in a property.
    private func count(_ term: SearchTerm, _ words: Words, property: Int) -> Int {
        if let name = term.property, name != properties[property].name { return 0 }
        let places = words.places[property]
        var starts: Set<Int>?
        for element in term.elements {
            var found: [Int] = []
            if element.isPrefix {
                for (word, all) in places where word.starts(with: element.bytes) { found += all }
            } else {
                found = places[element.bytes] ?? []
            }
            let candidates = Set(found.map { $0 - element.offset })
            starts = starts?.intersection(candidates) ?? candidates
        }
        return starts?.count ?? 0
    }
}

/// A property that is searched.
package struct SearchProperty: Hashable, Sendable {
    package let name: String
    package let weight: Double

    package init(_ name: String, weight: Double = 1) {
        self.name = name
        self.weight = weight
    }
}
