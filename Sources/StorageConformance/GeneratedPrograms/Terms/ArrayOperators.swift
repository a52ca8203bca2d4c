internal import StorageAPI

// Conditions on arrays of values, and on how many elements or children there are.

extension Term {
    /// Conditions on an array, its elements and their number.
    func arrayTests<E: AskedValue>() -> [ConditionMaker<M>] where V == [E] {
        let count = Term<M, Int>("\(text).count", written: written.map { Written("\($0.text).@count") }) {
            term($0).count
        } _: { (record) throws(ExpectedError) in
            try value(record).count
        }
        let isEmpty = Condition<M>("\(text).isEmpty") {
            term($0).isEmpty
        } _: { (record) throws(ExpectedError) in
            try value(record).isEmpty
        }
        return count.comparison + count.equality + [{ _, _ in isEmpty }, containment]
    }

    private func containment<E: AskedValue>(
        _ generator: inout SeededGenerator, _ record: M?
    ) -> Condition<M>? where V == [E] {
        let own = record.flatMap { try? value($0) }.flatMap { generator.one(of: $0) }
        let element = own ?? E.random(&generator)
        return Condition("\(text).contains(\(element.swift))") {
            term($0).contains(element)
        } _: { (record) throws(ExpectedError) in
            try value(record).contains { $0.isSame(as: element) }
        }
    }
}
