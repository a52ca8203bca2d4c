import StorageAPI
import StorageConformance

extension Mutant {
    /// Backends that do next to nothing: a case that passes on all of them asks for nothing.
    static let blunt: [Mutant] = [.memory, .sqlite].flatMap { (base: Base) in
        [
            Mutant("stores-nothing-\(base)", [.w1, .w2], "What is stored is lost.", on: base) {
                $0.write = { write, _ throws(StorageError) in if write.isPut { write.rows = [] } }
            },
            Mutant("finds-nothing-\(base)", [.q1, .w1], "No query finds anything.", on: base) {
                $0.rows = { rows, plan in
                    if case .columns = plan.query.result { [] } else { [[.int(0)]] }
                }
            },
            Mutant("refuses-writes-\(base)", [.w1, .e1], "Every write is refused.", on: base) {
                $0.write = { write, _ throws(StorageError) in
                    throw StorageError(.io, "Nothing is written.", model: write.table.path.first)
                }
            },
            Mutant("finds-everything-\(base)", [.q1], "Filters, limits and offsets are ignored.", on: base) {
                $0.query = { question in
                    question.query.filter = nil
                    question.arguments.limit = nil
                    question.arguments.offset = 0
                }
            },
        ]
    }
}
