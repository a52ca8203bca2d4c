import Foundation
import StorageConformance
import Testing

@Suite("The suite covers the contract")
struct ContractTests {
    /// Clauses that no case can prove, each with the reason.
    static let exceptions: [Contract: String] = [:]

    static let document: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return (try? String(contentsOf: root.appending(path: "Documentation/Contract.md"), encoding: .utf8)) ?? ""
    }()

    @Test(arguments: Contract.allCases)
    func `every clause has a case, or a reason why it has none`(_ clause: Contract) {
        let hasCase = Conformance.v1.cases.contains { $0.clauses.contains(clause) }
        #expect(hasCase != (Self.exceptions[clause] != nil), "\(clause.id): \(clause.text)")
    }

    @Test(arguments: Contract.allCases)
    func `a clause's text is that of the document`(_ clause: Contract) {
        #expect(Self.document.contains("- \(clause.id) \(clause.text)\n"))
    }

    @Test func `every clause of the document is known`() {
        let lines = Self.document.split(separator: "\n").filter { $0.wholeMatch(of: /- [A-Z][0-9]+ .*/) != nil }
        #expect(lines.count == Contract.allCases.count)
    }

    @Test func `identifiers are unique, and say their group`() {
        let ids = Conformance.v1.cases.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(id.wholeMatch(of: /[a-z]+\/[a-z0-9-]+/) != nil, "\(id)") }
    }

    @Test func `every case names a clause and says a sentence`() {
        for test in Conformance.v1.cases {
            #expect(!test.clauses.isEmpty, "\(test.id)")
            #expect(test.sentence.hasSuffix(".") && test.sentence.count > 15, "\(test.id)")
        }
    }

    @Test func `version 1 keeps the cases that it was published with`() {
        #expect(Conformance.v1.cases.count { $0.since == .v1 } >= 390)
    }
}
