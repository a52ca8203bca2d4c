/// Something that an examination of a store and its server has found.
package struct HealthFinding: Sendable, Equatable {
    package enum Severity: String, Sendable, Comparable, CaseIterable {
        /// A fact that the operator of the store should know.
        case note
        /// Something that grows into a problem, or weakens a guarantee.
        case warning
        /// Something that fails calls, or loses data.
        case error

        package static func < (one: Severity, other: Severity) -> Bool {
            allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
        }
    }

    /// The name of the check, which stays the same from version to version.
    package let check: String
    package let severity: Severity
    /// The state that was found, in one or two sentences.
    package let message: String
    /// The action to take; nil for a fact.
    package let advice: String?

    package init(_ check: String, _ severity: Severity, message: String, advice: String? = nil) {
        (self.check, self.severity, self.message, self.advice) = (check, severity, message, advice)
    }
}

/// The times from which an examination reports something.
package struct HealthLimits: Sendable {
    /// The age in seconds from which a transaction of another program is reported.
    package var transactionSeconds = 300.0
    /// The time in seconds from which a wait for a lock is reported.
    package var waitSeconds = 5.0

    package init() {}
}

/// A backend whose server can be examined without opening a store.
package protocol ExaminableBackend: StorageBackend {
    /// Examines the server and the store. A check that the user may not make is a note, and a server that cannot be
    /// reached an error
    /// among the findings.
    func examine(_ limits: HealthLimits) -> [HealthFinding]
}
