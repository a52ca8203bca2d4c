import StorageDriver
import Synchronization

/// The changes that at least one feature of a store follows. Other changes are not captured.
final class FollowedChanges: Sendable {
    private struct State {
        var parts: [ChangeInterest?] = []
        var together: ChangeInterest?
    }

    /// The part of one feature.
    struct Part: Sendable {
        fileprivate let number: Int
        fileprivate let followed: FollowedChanges

        /// The union of the changes that the features follow; nil for none. A new object after each change.
        var together: ChangeInterest? { followed.together }

        /// Sets the changes that the feature follows from the next write on; nil for none.
        func set(_ interest: ChangeInterest?) { followed.set(interest, number) }

        /// Follows every change of some models, in a detail.
        func set(_ models: [StoredName], _ detail: ChangeDetail) {
            set(models.isEmpty ? nil : ChangeInterest(all: nil, models: Dictionary(models.map { ($0, detail) }) { $1 }))
        }
    }

    private let state = Mutex(State())
    private let isAny = Atomic(false)

    /// True if changes are captured.
    var isUsed: Bool { isAny.load(ordering: .acquiring) }

    /// The union of the changes that the features follow; nil for none. A new object after each change.
    var together: ChangeInterest? { state.withLock { $0.together } }

    func newPart() -> Part {
        state.withLock { state in
            state.parts.append(nil)
            return Part(number: state.parts.count - 1, followed: self)
        }
    }

    private func set(_ interest: ChangeInterest?, _ part: Int) {
        state.withLock { state in
            state.parts[part] = interest
            state.together = state.parts.reduce(nil) { together, part in part?.adding(together) ?? together }
            isAny.store(state.together != nil, ordering: .releasing)
        }
    }
}
