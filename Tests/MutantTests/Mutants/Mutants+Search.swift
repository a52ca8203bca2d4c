import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// F: the search index, in the store's own tables.
    static let searching: [Mutant] = [
        Mutant("commit-not-indexed", breaking: [.f4, .f6], "Rows that a commit adds to a search index are lost.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("pending"), write.isPut { write.rows = [] }
            }
        },
        Mutant(
            "every-other-commit-indexed", breaking: [.f4, .f5, .f6],
            "Each second row that commits add to a search index is lost."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("pending"), write.isPut, write.rows[0][0].isEven { write.rows = [] }
            }
        },
        Mutant("merged-stays", breaking: [.f4, .f6, .f8], "What was merged into a segment stays beside it.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("pending"), write.operation == .delete { write.rows = [] }
            }
        },
        Mutant("segment-lost", breaking: [.f4, .f8], "The description of a segment is not written.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("segments"), write.isPut { write.rows = [] }
            }
        },
        Mutant(
            "number-reused", breaking: [.f4, .f6],
            "The number after the first row of an index is used, whatever is there."
        ) {
            $0.query = { question in
                guard question.table.isIndex("pending"), question.query.order.first?.isDescending == true else {
                    return
                }
                question.query.order[0].isDescending = false
            }
        },
        Mutant("range-without-end", breaking: [.f4, .f8], "A range of an index's blocks lacks its last one.") {
            $0.rows = { rows, question in
                question.table.isIndex("blocks") && question.query.scope == .all ? rows.dropLast() : rows
            }
        },
        Mutant("marks-forgotten", breaking: [.f1, .f8], "The recorded settings of the indexes are empty.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.table.path == ["\u{0}search"], write.isPut else { return }
                write.rows = [[.int(1), .text(#"{"models":[],"next":1,"version":2}"#)]]
            }
        },
    ]
}

extension Value {
    fileprivate var isEven: Bool {
        guard case .int(let number) = self else { return false }
        return number.isMultiple(of: 2)
    }
}

extension Write {
    fileprivate func isOf(_ part: String) -> Bool { table.isIndex(part) }
}

extension TableSchema {
    /// Returns whether it is this part of a search index, whose name no model can have.
    fileprivate func isIndex(_ part: String) -> Bool {
        guard path.count == 1 else { return false }
        return path[0].hasPrefix("\u{0}search.") && path[0].hasSuffix("." + part)
    }
}
