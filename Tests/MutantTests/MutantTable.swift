import Foundation
import StorageConformance

/// A page with each mutant and cases that find it, each case in one place. `scripts/mutants` prints it.
struct MutantTable {
    let text: String

    init(_ matrix: KillMatrix) {
        let sharpest = matrix.sharpest
        let sharp = Mutant.all.filter { !matrix.isBlunt($0) }
        var lines = [
            """
            # Mutants

            A mutant is a backend with one small fault, on top of a real one. It shows what a case of the conformance suite is
            worth: the case fails on it, and passes on the backend below. All \(sharp.count) mutants here are sharp: each fails at
            most a tenth of a sample of the suite's cases, about a sixth of those that take little time. Each case stands once, at
            the sharpest mutant that it finds and whose clause it names; a mutant that is nobody's sharpest has one of those
            that find it.

            | kind | mutant | on | clauses | what is wrong | cases that find it |
            |---|---|---|---|---|---|
            """
        ]
        for (kind, mutants) in Mutant.kinds {
            for mutant in mutants where !matrix.isBlunt(mutant) {
                let own = Conformance.v1.cases.map(\.id).filter { sharpest[$0]?.id == mutant.id }
                let killers = own.isEmpty ? matrix.killers[mutant.id]?.prefix(1).map(\.self) ?? [] : own
                lines.append(Self.row(mutant, kind) + "\(killers.isEmpty ? "none" : killers.joined(separator: ", ")) |")
            }
        }
        let without = Conformance.v1.cases.map(\.id).filter { sharpest[$0] == nil }
        lines += [
            "", "## Cases that find no mutant", "",
            "A mutant stands below the store: what the store alone does, no fault of an engine can change.", "",
            "| case | why none can |", "|---|---|",
        ]
        lines += without.compactMap { id in CasesWithoutMutant.reasons[id].map { "| \(id) | \($0) |" } }
        let open = without.filter { CasesWithoutMutant.reasons[$0] == nil }
        if !open.isEmpty { lines.append("\nWithout a sharp mutant: \(open.joined(separator: ", "))") }
        let blunt = Mutant.all.filter(matrix.isBlunt)
        if !blunt.isEmpty { lines.append("\nBlunt: \(blunt.map(\.id).joined(separator: ", "))") }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// The beginning of a mutant's row.
    private static func row(_ mutant: Mutant, _ kind: String) -> String {
        let clauses = mutant.clauses.map(\.id).joined(separator: " ")
        // A bar would end the column.
        let sentence = mutant.sentence.replacingOccurrences(of: "||", with: "or")
        return "| \(kind) | \(mutant.id) | \(mutant.base.rawValue) | \(clauses) | \(sentence) | "
    }
}
