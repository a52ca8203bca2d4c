import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Renders a builder's query as the Swift source that builds it again, for the snippets of the conformance suite.

extension Selection {
    package func source<M: Storable>(for _: M.Type) -> String {
        let names = QuerySource(models: [M.self])
        var source = filter.map { ".where { \(names.text($0)) }" } ?? ""
        for key in order { source += ".order { \(names.text(key.node)).\(key.isDescending ? "de" : "a")scending }" }
        if let limit { source += ".limit(\(limit))" }
        return offset == 0 ? source : source + ".offset(\(offset))"
    }
}

extension Assignments {
    package func source<M: Storable>(for _: M.Type) -> String {
        let names = QuerySource(models: [M.self])
        return list.map { assignment in
            guard case .term(let node) = assignment.property else { return ".set(…)" }
            let name = names.text(node).dropFirst("$0.".count)
            switch assignment.content {
            case .value(let value): return ".set(\\.\(name), to: \(names.literal(value, beside: node)))"
            case .parts(let parts):
                return ".set(\\.\(name), to: Ref(key: (\(parts.map(\.sourceText).joined(separator: ", ")))))"
            case .computed(let term): return ".set(\\.\(name)) { \(names.text(term)) }"
            }
        }.joined()
    }
}

/// Writes terms with the names of the models that their closures are about, the innermost last.
private struct QuerySource {
    var models: [any Storable.Type]

    func text(_ node: QueryNode) -> String {
        switch node {
        case .property(let path): "$0." + names(path).joined(separator: ".")
        case .value(let value): value.sourceText
        case .number(let digits): digits
        case .arithmetic(let operation, let left, let right): "(\(text(left)) \(operation.rawValue) \(text(right)))"
        case .count(let term): "\(text(term)).count"
        case .childAggregate(let function, let path, let term):
            "$0.\(names(path).joined(separator: ".")).\(function) { \(inside(path).text(term)) }"
        case .choice(let condition, let yes, let no): "(\(text(condition)) ? \(text(yes)) : \(text(no)))"
        case .distance(let metric, let left, let right):
            "\(vector(left)).distance(to: \(vector(right)), by: .\(metric))"
        case .datePart(let part, let term, .offset(0)): "\(text(term)).\(part.rawValue)(in: .gmt)"
        case .datePart(let part, let term, .offset(let seconds)):
            "\(text(term)).\(part.rawValue)(in: TimeZone(secondsFromGMT: \(seconds)) ?? .gmt)"
        case .datePart(let part, let term, .named(let name)):
            "\(text(term)).\(part.rawValue)(in: TimeZone(identifier: \(name.debugDescription)) ?? .gmt)"
        case .element(let array, nil): "\(text(array)).elements()"
        case .element(.property(let path), let term?):
            "$0.\(names(path).joined(separator: ".")).elements { \(inside(path).text(term)) }"
        case .aggregate(let function, let term): "$0.\(function)(\(term.map(text) ?? ""))"
        case .groupKey(let index): "$0.key\(index)"
        case .constant(let value): "\(value)"
        case .invalid(let reason, _): "/* \(reason) */"
        case .placed(let node, _): text(node)
        case .overPath: "/* a condition over a path */"
        default: condition(node)
        }
    }

    private func condition(_ node: QueryNode) -> String {
        switch node {
        case .comparison(let comparison, let left, let right, let folding):
            folding.isEmpty
                ? "\(text(left)) \(comparison.symbol) \(operand(right, beside: left))"
                : "\(text(left)).equals(\(text(right))\(folding.source))"
        case .isIn(let term, let values, let numbers):
            "\(text(term)).isIn([\(([list(values, beside: term)] + numbers).filter { !$0.isEmpty }.joined(separator: ", "))])"
        case .isNil(let term): "\(text(term)).isNil"
        case .text(let test, let term, let pattern, let folding):
            "\(text(term)).\(test)(\(text(pattern))\(folding.source))"
        case .hasElement(let term, let value): "\(text(term)).contains(\(value.sourceText))"
        case .and(let parts): "(\(parts.map(text).joined(separator: " && ")))"
        case .or(let parts): "(\(parts.map(text).joined(separator: " || ")))"
        case .not(let term): "!(\(text(term)))"
        case .quantified(let quantifier, let path, let condition):
            "$0.\(names(path).joined(separator: ".")).\(quantifier) { \(inside(path).text(condition)) }"
        case .childCount(let path, let condition):
            "$0.\(names(path).joined(separator: ".")).count { \(inside(path).text(condition)) }"
        case .refers(let path, let keys):
            "$0.\(names(path).joined(separator: ".")).refers(to: [\(keys.map { $0.map(\.sourceText).joined(separator: ", ") }.joined(separator: "; "))])"
        default: "/* a term */"
        }
    }

    private func vector(_ node: QueryNode) -> String {
        guard case .value(let value) = node else { return text(node) }
        return ColumnType.vector.row.swift(value.sourceText, value)
    }

    private func operand(_ node: QueryNode, beside other: QueryNode) -> String {
        if case .value(let value) = node { literal(value, beside: other) } else { text(node) }
    }

    private func list(_ values: [Value], beside term: QueryNode) -> String {
        let shown = values.prefix(24).map { literal($0, beside: term) }.joined(separator: ", ")
        return values.count > 24 ? "\(shown) /* of \(values.count) */" : shown
    }

    /// A value as a literal of the type of the property that it stands beside.
    func literal(_ value: Value, beside node: QueryNode) -> String {
        guard case .property(let path) = node, case .column(let type) = properties(path).last?.kind, !value.isNull
        else { return value.sourceText }
        return type.row.swift(value.sourceText, value)
    }

    private func names(_ path: PropertyPath) -> [String] { properties(path).map(\.name) }

    /// The properties on the way from the closure that the path starts in.
    private func properties(_ path: PropertyPath) -> [Property] {
        var found: [Property] = []
        var model = models.indices.contains(path.scope) ? models[path.scope] : nil
        for ordinal in path.ordinals {
            guard let properties = model?.schema.properties, properties.indices.contains(ordinal) else { break }
            found.append(properties[ordinal])
            model = properties[ordinal].child
        }
        return found
    }

    private func inside(_ path: PropertyPath) -> QuerySource {
        guard let child = properties(path).last?.child else { return self }
        return QuerySource(models: models + [child])
    }
}

extension Property {
    /// The model that the property owns.
    fileprivate var child: (any Storable.Type)? {
        switch kind {
        case .one(let model), .many(let model): model
        case .reference(let model), .references(let model, elements: _): model
        case .column, .refused: nil
        }
    }
}

extension TextFolding {
    /// The argument that asks for the folding.
    fileprivate var source: String {
        let names = [contains(.case) ? ".case" : nil, contains(.diacritics) ? ".diacritics" : nil].compactMap(\.self)
        return names.isEmpty ? "" : ", ignoring: [\(names.joined(separator: ", "))]"
    }
}

extension Comparison {
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension Value {
    /// The value as a literal.
    fileprivate var sourceText: String {
        switch self {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value):
            value.isNaN ? ".nan" : value.isInfinite ? (value < 0 ? "-" : "") + ".infinity" : "\(value)"
        case .text(let value): value.debugDescription
        case .blob(let value): "Data(\(value))"
        }
    }
}
