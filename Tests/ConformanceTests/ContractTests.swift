import Foundation
import StorageConformance
import StorageDriver
import TestSupport
import Testing

@Suite("The suite covers the contract")
struct ContractTests {
    static let document: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return (try? String(contentsOf: root.appending(path: "Documentation/Contract.md"), encoding: .utf8)) ?? ""
    }()

    @Test(arguments: Contract.allCases.flatMap(\.rules))
    func `every rule has a case, or a reason why it has none`(_ rule: Contract.Rule) {
        let hasCase = Conformance.v1.cases.contains { $0.rules.contains(rule) }
        expect(hasCase != (rule.reasonWithoutCase != nil), "\(rule.id): \(rule.text)")
    }

    @Test func `a rule is a line of its clause`() {
        expect(Contract.v3.rules.map(\.text), equals: [Contract.v3.text])
        expect(Contract.w1.rules.map(\.text).first, equals: "insert stores a new record.")
        expect(Contract.v4.rules.last?.id, equals: "V4.10")
        for clause in Contract.allCases { expect(!clause.rules.isEmpty, "\(clause.id)") }
    }

    @Test func `E1 lists the codes that there are`() throws {
        let list = try #require(Contract.e1.rules.last?.text.dropFirst("Codes: ".count).dropLast())
        expect(list.components(separatedBy: ", ").sorted(), equals: StorageError.Code.allCases.map(\.rawValue).sorted())
    }

    @Test func `the proof of the contract names each rule and each case`() {
        let proof = Conformance.v1.proof
        for rule in Contract.allCases.flatMap(\.rules) { expect(proof.contains("\(rule.id) \(rule.text)\n")) }
        expect(proof.contains("values/*-column (22)"))
        expect(!proof.contains("none was written"))
    }

    @Test func `the rules are those of the document, in its order`() {
        let lines = Self.document.split(separator: "\n").filter { $0.wholeMatch(of: /- [A-Z][0-9]+\.[0-9]+ .*/) != nil }
        expect(lines.map(String.init), equals: Contract.allCases.flatMap(\.rules).map { "- \($0.id) \($0.text)" })
    }

    @Test func `identifiers are unique, and say their group`() {
        let ids = Conformance.v1.cases.map(\.id)
        expect(Set(ids).count, equals: ids.count)
        for id in ids { expect(id.wholeMatch(of: /[a-z]+\/[a-z0-9-]+/) != nil, "\(id)") }
    }

    @Test func `every case names rules that there are, each once, and says a sentence`() {
        for test in Conformance.v1.cases {
            expect(!test.rules.isEmpty, "\(test.id)")
            expect(Set(test.rules).count, equals: test.rules.count, "\(test.id)")
            for rule in test.rules { expect(!rule.text.isEmpty, "\(test.id) names \(rule.id)") }
            expect(test.sentence.hasSuffix(".") && test.sentence.count > 15, "\(test.id)")
        }
    }

    @Test func `version 1 keeps the cases that it was published with`() {
        expect(Conformance.v1.cases.count { $0.since == .v1 } >= 390)
    }
}
