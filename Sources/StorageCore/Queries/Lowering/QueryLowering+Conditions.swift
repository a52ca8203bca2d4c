import StorageDriver

// Conditions.
extension QueryLowering {
    mutating func condition(_ node: QueryNode, in outer: Place) throws(StorageError) -> QueryTerm {
        let place = try outer.deeper(1)
        switch node {
        case .constant(let constant): return .constant(constant)
        case .and: return .and(try terms(of: node, in: place))
        case .or: return .alternatives(try terms(of: node, in: place), arguments)
        case .not(let node): return .not(try condition(node, in: place))
        case .isNil(let node): return try isNil(node, in: place)
        case .comparison(let comparison, let left, let right, let folding):
            return try compare(comparison, left, to: right, folding: folding, in: place)
        case .isIn(let node, let values, let numbers): return try isIn(node, values, numbers: numbers, in: place)
        case .text(let test, let node, let pattern, let folding):
            return try textTest(test, node, pattern: pattern, folding: folding, in: place)
        case .hasElement(let array, let element): return try hasElement(array, element, in: place)
        case .refers(let path, let keys): return try refers(path, keys, in: place)
        case .matches(let path, let search):
            return try directory.textSearch().condition(search, at: path, in: place, of: &self)
        case .relevance: throw invalid("Relevance orders the records of a query; it is no value.")
        case .quantified(let quantifier, let path, let inner):
            return try quantified(quantifier, path, inner: inner, in: place)
        case .overPath(let quantifier, let path, let comparison):
            return try overPath(quantifier, path, comparison, in: place)
        case .placed(let node, let text):
            do {
                return try condition(node, in: place)
            } catch {
                throw text.placing(error)
            }
        case .property, .choice, .groupKey, .aggregate:
            let (term, type) = try operand(node, in: place)
            guard type == .bool else { throw invalid("Only a Bool is a condition by itself; compare the value.") }
            return .comparison(.equal, term, try argument(.int(1)), .bool)
        case .value, .number, .arithmetic, .count, .childCount, .childAggregate, .distance, .datePart, .element:
            throw invalid("A plain value is not a condition; compare it.")
        case .invalid(let reason, let code): throw StorageError(code, reason, model: model.name)
        }
    }

    /// The terms of a chain of `and` or of `or`. The chain itself, which is as long as a user writes it, does not recurse.
    private mutating func terms(of chain: QueryNode, in place: Place) throws(StorageError) -> [QueryTerm] {
        var left: [QueryNode] = [chain]
        var terms: [QueryTerm] = []
        while let node = left.popLast() {
            switch (chain, node) {
            case (.and, .and(let parts)), (.or, .or(let parts)): left += parts.reversed()
            default: terms.append(try condition(node, in: place))
            }
        }
        return terms
    }

    private mutating func isNil(_ node: QueryNode, in place: Place) throws(StorageError) -> QueryTerm {
        guard case .property(let path) = node else { return .isNull(try operand(node, in: place).term) }
        switch try resolve(path, in: place) {
        case .column(let term, _): return .isNull(term)
        case .parts(let parts): return .isNull(parts[0].term)
        case .rows(let joinPath):
            guard let presence = joinPath.presence else { return .not(joinPath.some(.constant(true))) }
            let isAbsent = QueryTerm.comparison(.equal, presence, try argument(.int(0)), .bool)
            // If the array's direct owner is nil, the array is nil.
            return joinPath.steps.isEmpty ? isAbsent : .or([isAbsent, .isNull(presence)])
        }
    }

    /// Returns the term that a reference, or one of an array of them, is to a record with one of the keys.
    mutating func refers(
        _ path: PropertyPath, _ keys: [[Value]], in place: Place
    ) throws(StorageError) -> QueryTerm {
        switch try resolve(path, in: place) {
        case .column(let term, let type): return try equal([TypedTerm(term, type)], keys)
        case .parts(let parts): return try equal(parts, keys)
        case .rows(let joinPath):
            guard let element = joinPath.element else {
                throw invalid("An owned child is not a reference; name one of its properties.")
            }
            let parts = zip(element.outer, joinPath.end.table.schema.key).map { outer, key in
                TypedTerm(outer.map(QueryTerm.column) ?? .null, joinPath.end.table.schema.columns[key].type)
            }
            return joinPath.some(try equal(parts, keys))
        }
    }

    mutating func equal(_ parts: [TypedTerm], _ keys: [[Value]]) throws(StorageError) -> QueryTerm {
        if parts.count == 1, keys.count != 1 {
            return .isIn(parts[0].term, list: try list(keys.flatMap { $0 }, [], as: parts[0].type), parts[0].type)
        }
        if parts.count > 1, let (join, inner) = Self.throughJoin(parts) {
            return .quantified(.any, join, try equal(inner, keys))
        }
        let columns = parts.compactMap { if case .column(let column) = $0.term { column } else { nil } }
        if keys.count != 1, columns.count == parts.count {
            return .isAmong(columns, list: try list(ofKeys: keys, width: parts.count))
        }
        var terms: [QueryTerm] = []
        for key in keys where key.count == parts.count {
            var equalities: [QueryTerm] = []
            for (part, value) in zip(parts, key) {
                equalities.append(.comparison(.equal, part.term, try argument(value), part.type))
            }
            terms.append(equalities.count == 1 ? equalities[0] : .and(equalities))
        }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    /// The edge along which all parts of a reference are found, and the parts at its end.
    private static func throughJoin(_ parts: [TypedTerm]) -> (join: Join, parts: [TypedTerm])? {
        guard case .related(let join, _)? = parts.first?.term else { return nil }
        let inner = parts.compactMap { part -> TypedTerm? in
            if case .related(join, let term) = part.term { TypedTerm(term, part.type) } else { nil }
        }
        return inner.count == parts.count ? (join, inner) : nil
    }

    private mutating func compare(
        _ comparison: Comparison, _ left: QueryNode, to right: QueryNode, folding: TextFolding, in place: Place
    ) throws(StorageError) -> QueryTerm {
        if comparison == .equal, let same = try sameParts(left, right, in: place) { return same }
        if case .value(.null) = right { return try compareWithNil(comparison, left, in: place) }
        if case .value(.null) = left { return try compareWithNil(comparison, right, in: place) }
        guard !folding.isEmpty else { return try compare(comparison, left, to: right, in: place) }
        let (first, second, type) = try pair(left, right, in: place)
        guard type == .string else { throw invalid("Only text has a case and diacritics.") }
        return .comparison(comparison, folded(first, folding), folded(second, folding), type)
    }

    /// Returns the term that two references to records with keys of several parts are equal; nil for all other terms.
    private mutating func sameParts(
        _ left: QueryNode, _ right: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm? {
        guard case .property(let first) = left, case .property(let second) = right,
            case .parts(let parts) = try resolve(first, in: place),
            case .parts(let others) = try resolve(second, in: place), parts.count == others.count
        else { return nil }
        return .and(zip(parts, others).map { .comparison(.equal, $0.term, $1.term, $0.type) })
    }

    /// The two sides of an operation and their common type, to which a plain value is converted.
    mutating func pair(
        _ left: QueryNode, _ right: QueryNode, in place: Place
    ) throws(StorageError) -> (QueryTerm, QueryTerm, ColumnType) {
        let first = try left.isPlain ? nil : operand(left, in: place)
        let second = try right.isPlain ? nil : operand(right, in: place)
        guard let type = first?.type ?? second?.type ?? Self.type(left) else {
            throw invalid("Two plain values are compared; one side has to be a property.")
        }
        if let first, let second, let mine = first.type, let other = second.type {
            if mine.meetsAsDecimal(other) { return (try decimal(first), try decimal(second), .decimal) }
            guard mine.isComparable(to: other) else {
                throw invalid("A property of type \(mine) and one of type \(other) cannot be compared.")
            }
        }
        let leftTerm = if let first { first.term } else { try plain(left, as: type) }
        let rightTerm = if let second { second.term } else { try plain(right, as: type) }
        return (leftTerm, rightTerm, type)
    }

    private mutating func plain(_ node: QueryNode, as type: ColumnType) throws(StorageError) -> QueryTerm {
        // A part of the text of a URL need not be a URL.
        guard let value = try node.plain(as: type == .url ? .string : type).exact else {
            throw invalid("A plain value that is not of type \(type) is used where one is needed.")
        }
        return try argument(value)
    }

    /// The type of a plain value by itself.
    static func type(_ node: QueryNode) -> ColumnType? {
        if case .number = node { return .double }
        guard case .value(let value) = node else { return nil }
        return switch value {
        case .int: .int64
        case .unsigned: .uint64
        case .double: .double
        case .text: .string
        case .blob: .data
        case .null: nil
        }
    }

    private mutating func compareWithNil(
        _ comparison: Comparison, _ node: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        switch comparison {
        case .equal: try isNil(node, in: place)
        case .notEqual: .not(try isNil(node, in: place))
        default: .constant(false)
        }
    }

    private mutating func isIn(
        _ node: QueryNode, _ values: [Value], numbers: [String], in place: Place
    ) throws(StorageError) -> QueryTerm {
        let (term, type) = try operand(node, in: place)
        guard let type else { throw invalid("Only a property can be in a set.") }
        let present = values.filter { !$0.isNull }
        let isIn = QueryTerm.isIn(term, list: try list(present, numbers, as: type), type)
        return present.count == values.count ? isIn : .or([isIn, .isNull(term)])
    }

    // MARK: Text and arrays

    private mutating func textTest(
        _ test: TextTest, _ text: QueryNode, pattern: QueryNode, folding: TextFolding, in place: Place
    ) throws(StorageError) -> QueryTerm {
        if case .value(.text(let pattern)) = pattern, test == .like, pattern.utf8.count > QueryLimits.patternBytes {
            throw StorageError(
                .limitExceeded,
                "A pattern has at most \(QueryLimits.patternBytes) bytes, and this one has \(pattern.utf8.count).")
        }
        if test == .contains, let array = try elementTest(text, pattern, in: place) { return array }
        let (first, second, type) = try pair(text, pattern, in: place)
        guard type == .string || type == .url else {
            throw invalid("\(test.rawValue) is a test of text, not of \(type).")
        }
        return .text(test, folded(first, folding), folded(second, folding))
    }

    /// A folded term. Values are folded here, once.
    private mutating func folded(_ term: QueryTerm, _ folding: TextFolding) -> QueryTerm {
        guard !folding.isEmpty else { return term }
        guard case .argument(let index) = term, case .text(let text) = arguments.values[index] else {
            return .folded(term, folding)
        }
        replaceArgument(index, .text(folding.fold(text)))
        return term
    }

    private mutating func hasElement(
        _ array: QueryNode, _ element: Value, in place: Place
    ) throws(StorageError) -> QueryTerm {
        let (term, type) = try operand(array, in: place)
        switch type {
        case .array?, .data?: return .hasElement(term, try argument(element))
        default: throw invalid("contains asks for an element of an array.")
        }
    }

    /// `contains` of the text form, if it tests for an element of an array.
    private mutating func elementTest(
        _ array: QueryNode, _ element: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm? {
        guard case .property(let path) = array, case .column(let term, let type) = try resolve(path, in: place)
        else { return nil }
        if type == .data, let byte = try? element.plain(as: .uint8) {
            return try byte.exact.map { (byte) throws(StorageError) in .hasElement(term, try argument(byte)) }
                ?? .constant(false)
        }
        guard case .array(let elementType) = type else { return nil }
        guard element.isPlain else {
            throw invalid("contains asks an array for a plain value, not for a property.")
        }
        guard let value = try element.plain(as: elementType).exact else { return .constant(false) }
        return .hasElement(term, try argument(ArrayElements.element(value, of: elementType)))
    }

    // MARK: Children

    /// The first array of children in the path splits it: the comparison applies to each child, or to the value to
    /// which the rest of the path leads.
    private mutating func overPath(
        _ quantifier: Quantifier, _ path: PropertyPath, _ comparison: (QueryNode) -> QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        let ordinals = try ordinals(of: path, in: place)
        guard let end = try firstArray(ordinals, in: place) else {
            guard quantifier == .any else { throw invalid("all and none ask about owned arrays.") }
            guard case .placed(.comparison(.equal, let array, let element, []), _) = comparison(.property(path)) else {
                throw invalid("any asks about owned arrays, or by == for an element of an array.")
            }
            return try condition(.text(.contains, array, element, []), in: place)
        }
        let children = PropertyPath(scope: path.scope, Array(ordinals[...end]))
        let inner = PropertyPath(scope: path.scope + 1, Array(ordinals[(end + 1)...]))
        guard !inner.ordinals.isEmpty else { throw invalid("A child cannot be compared; name one of its properties.") }
        return try quantified(quantifier, children, inner: comparison(.property(inner)), in: place)
    }

    private func firstArray(_ ordinals: [Int], in place: Place) throws(StorageError) -> Int? {
        var place = place
        for (index, ordinal) in ordinals.enumerated() {
            if case .relation(let relation) = try place.model.member(ordinal, of: place.table),
                place.table.relations[relation].isMany
            {
                return index
            }
            guard let next = try self.place(after: ordinal, in: place) else { return nil }
            place = next
        }
        return nil
    }

    private mutating func quantified(
        _ quantifier: Quantifier, _ path: PropertyPath, inner: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        let joinPath = try rows(path, in: place)
        let term = joinPath.ofElement(try condition(inner, in: inside(joinPath, place)))
        if joinPath.steps.isEmpty { return .quantified(quantifier, joinPath.last, term) }
        switch quantifier {
        case .any: return joinPath.some(term)
        case .all: return .not(joinPath.some(.not(term)))
        case .none: return .not(joinPath.some(term))
        }
    }
}
