extension Selection {
    /// A search among the conditions of a selection.
    struct Search {
        let path: PropertyPath
        let text: SearchText
        /// The number of the search among the conditions that all must be met; nil if it is a part of one.
        let condition: Int?
    }

    /// The conditions that all must be met.
    private var conditions: [QueryNode] {
        var open = filter.map { [$0] } ?? []
        var conditions: [QueryNode] = []
        while let node = open.popLast() {
            if case .and(let parts) = node { open += parts.reversed() } else { conditions.append(node) }
        }
        return conditions
    }

    /// The searches among the conditions and their alternatives. A negated search finds the records to leave out.
    var searches: [Search] {
        conditions.enumerated().flatMap { place, condition in
            var searches: [Search] = []
            var open = [condition]
            while let node = open.popLast() {
                switch node {
                case .placed(let inner, _): open.append(inner)
                case .and(let parts), .or(let parts): open += parts.reversed()
                case .matches(let path, let text):
                    searches.append(Search(path: path, text: text, condition: condition.isSearch ? place : nil))
                default: break
                }
            }
            return searches
        }
    }

    /// The conditions other than one, without order and page.
    func without(condition: Int) -> Selection {
        var selection = Selection()
        for (place, node) in conditions.enumerated() where place != condition { selection.add(node, depth: depth) }
        return selection
    }
}

extension QueryNode {
    fileprivate var isSearch: Bool {
        switch self {
        case .placed(let inner, _): inner.isSearch
        case .matches: true
        default: false
        }
    }
}
