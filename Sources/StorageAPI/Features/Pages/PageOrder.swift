import StorageDriver

/// The complete order of a query's records: its sort terms, and then the key.
struct PageOrder {
    /// The sort terms of the query, and then the sort terms of the key.
    let keys: [Query.SortKey]
    /// The number of sort terms.
    let count: Int
    /// A digest of the model and the order.
    let digest: UInt64
    /// True if records may have no value of the first sort term.
    private let mayBeNull: Bool

    /// - Parameters:
    ///   - order: the sort keys of the query, lowered before its conditions.
    ///   - arguments: the values of the sort keys alone.
    ///   - others: the tables of other models that the sort keys read.
    init(_ order: [Query.SortKey], _ arguments: QueryArguments, others: [TableSchema], of model: ModelTables) {
        let schema = model.root.schema
        count = order.count
        keys =
            order
            + schema.key.map {
                Query.SortKey(term: .column($0), type: schema.columns[$0].type, isDescending: false)
            }
        // Another program may have made the column Optional.
        mayBeNull = count > 0
        var digest = Digest()
        digest.add(model.name.text)
        for key in keys {
            // By the column's name, since numbers of columns differ between stores.
            if case .column(let column) = key.term {
                digest.add(schema.columns[column].property)
            } else {
                digest.add("\(key.term)")
            }
            digest.add("\(key.type) \(key.isDescending) \(key.nullsFirst)")
        }
        for table in others { digest.add(table.name) }
        digest.add(RecordImage.bytes(of: arguments.values))
        for list in arguments.lists { digest.add(RecordImage.bytes(of: list.values)) }
        self.digest = digest.value
    }

    /// The values of a token, each of the type of its term.
    ///
    /// - Throws: `invalidValue` for a token of another model or order.
    func place(of token: Store.PageToken) throws(StorageError) -> [Value] {
        guard token.order == digest, token.place.count == keys.count else { throw Self.foreign }
        // A token comes from outside, and may have any bytes.
        guard zip(token.place, keys).allSatisfy({ $0.isNull || $0.isStored(as: $1.type) }) else { throw Self.foreign }
        return token.place
    }

    private static var foreign: StorageError {
        StorageError(
            .invalidValue, "The page token is of another model or order; begin again with the first page.")
    }

    // MARK: Ranges

    /// A range of the order, and the condition for the records in it; nil for all records.
    typealias Part = (inout QueryArguments) -> QueryTerm?

    /// The ranges after a place, one after the other. Each is one range of an index that begins with the first sort term:
    /// records without a value of it come before all others or after them, and form a separate range.
    ///
    /// - Parameters:
    ///   - place: the values of the sort terms and the key; nil for the whole order.
    ///   - keys: the sort keys in the direction of reading.
    ///   - isIncluded: whether the record at the place is in the range.
    func parts(after place: [Value]?, by keys: [Query.SortKey], isIncluded: Bool) -> [Part] {
        guard let place, let first = place.first, let key = keys.first else { return [{ _ in nil }] }
        let following: Part = { Self.range(after: place, by: keys, isIncluded: isIncluded, &$0) }
        guard mayBeNull else { return [following] }
        switch (first.isNull, key.nullsFirst) {
        case (false, true), (true, false): return [following]
        case (false, false): return [following, { _ in .isNull(key.term) }]
        case (true, true): return [following, { _ in .not(.isNull(key.term)) }]
        }
    }

    /// The condition for records after a place that have a value of the first term if the place has one, and none otherwise.
    private static func range(
        after place: [Value], by keys: [Query.SortKey], isIncluded: Bool, _ arguments: inout QueryArguments
    ) -> QueryTerm {
        var term = QueryTerm.constant(isIncluded)
        for index in keys.indices.reversed() {
            let (key, value) = (keys[index], place[index])
            var equal = QueryTerm.isNull(key.term)
            var beyond: QueryTerm? = index > 0 && key.nullsFirst ? .not(equal) : nil
            var bound = equal
            if !value.isNull {
                let argument = QueryTerm.argument(arguments.values.count)
                arguments.values.append(value)
                equal = .comparison(.equal, key.term, argument, key.type)
                let greater = QueryTerm.comparison(
                    key.isDescending ? .less : .greater, key.term, argument, key.type)
                beyond = index > 0 && !key.nullsFirst ? .or([greater, .isNull(key.term)]) : greater
                bound = .comparison(
                    key.isDescending ? .lessOrEqual : .greaterOrEqual, key.term, argument, key.type)
            }
            switch term {
            case .constant(true): term = beyond.map { index == 0 ? bound : .or([$0, equal]) } ?? equal
            case .constant: term = beyond ?? .constant(false)
            default:
                let rest = QueryTerm.and([equal, term])
                term = beyond.map { .or([$0, rest]) } ?? rest
                // A condition that follows from the alternatives bounds the range of an index.
                if index == 0, keys.count > 1 { term = .and([bound, term]) }
            }
        }
        return term
    }

    /// The 64-bit FNV-1a digest of texts (draft-eastlake-fnv).
    private struct Digest {
        private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

        mutating func add(_ text: String) {
            add(Array(text.utf8))
            add([0])
        }

        mutating func add(_ bytes: [UInt8]) { for byte in bytes { add(byte) } }

        private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

extension Query.SortKey {
    /// The same sort key for reading backwards.
    var reversed: Query.SortKey {
        Query.SortKey(term: term, type: type, isDescending: !isDescending, nullsFirst: !nullsFirst)
    }
}

extension Value {
    /// Returns whether a column of the type may have stored the value.
    fileprivate func isStored(as type: ColumnType) -> Bool {
        switch (self, type.storage) {
        case (.int(let number), .integer): type.range?.contains(number) ?? true
        case (.unsigned, .integer): type == .uint64
        case (.double, .double): true
        case (.text, .text), (.blob, .blob): type.row.stored(self) != nil
        default: false
        }
    }
}
