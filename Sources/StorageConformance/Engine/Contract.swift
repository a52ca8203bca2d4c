/// The clauses of the storage contract: what every backend promises. Each has rules, and a case names those that it proves.
///
/// The identifiers are permanent. The texts equal Documentation/Contract.md's; a test compares the two.
public enum Contract: String, Sendable, CaseIterable {
    case v1, v2, v3, v4, v5
    case k1, k2, k3, k4, k5
    case w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
    case c1, c2, c3, c4, c5, c6, c7, c8
    case q1, q2, q3, q4, q5, q6, q7, q8, q9
    case p1, p2
    case t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13
    case s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14
    case o1, o2, o3, o4, o5, o6, o7, o8, o9, o10
    case h1, h2, h3, h4, h5, h6, h8, h9, h10, h11, h12
    case r1, r2, r3, r4, r5, r6, r7, r8, r9, r10
    case f1, f2, f3, f4, f5, f6, f7, f8, f9
    case l1, l2, l3, l4
    case m1, m2
    case y1, y2, y3, y4, y5, y6, y7, y8, y9, y10
    case e1, e2, e3, e4, e5, e6

    /// The identifier as documents write it: `W1`.
    public var id: String { rawValue.uppercased() }

    /// The clause's text: its rules, one after the other.
    public var text: String { rules.map(\.text).joined(separator: " ") }

    /// The clause's rules, by their numbers.
    public var rules: [Rule] { (Self.texts[id] ?? []).indices.map { Rule(self, $0 + 1) } }

    /// One line of a clause: `W4.3` is the third of W4.
    public struct Rule: Sendable, Hashable {
        /// The clause that it belongs to.
        public let clause: Contract
        /// Its number in the clause, from 1, in the text's order.
        public let number: Int

        init(_ clause: Contract, _ number: Int) {
            self.clause = clause
            self.number = number
        }

        /// The identifier as documents write it: `W4.3`.
        public var id: String { "\(clause.id).\(number)" }

        /// The rule's text; empty where the clause has no such rule.
        public var text: String {
            let texts = Contract.texts[clause.id] ?? []
            return texts.indices.contains(number - 1) ? texts[number - 1] : ""
        }
    }

    /// The texts of each clause's rules, by the clause's identifier.
    private static let texts = contractText.split(separator: "\n").reduce(into: [String: [String]]()) { texts, line in
        texts[String(line.prefix { $0 != "." }), default: []].append(String(line.drop { $0 != " " }.dropFirst()))
    }
}
