extension Tenants {
    /// The progress of a move.
    public struct MoveProgress: Hashable, Sendable {
        /// The steps of a move, in their order. Each is complete when it is told.
        public enum Step: String, Sendable, CaseIterable {
            /// The directory has the move. The old place takes writes.
            case began
            /// The new place is closed to all but the move.
            case prepared
            /// A part is copied while writers go on at the old place.
            case copying
            /// The new place is as the old one was, except for what was written meanwhile.
            case copied
            /// The old place takes no more writes.
            case closed
            /// The rest is copied, and the digests of both places are equal.
            case compared
            /// The directory has recorded that the new place takes over. From here on the move can only be finished.
            case switching
            /// The new place takes writes.
            case opened
            /// The directory names the new place.
            case switched
            /// The old place says that the store has moved, and the directory has no move any more.
            case finished
        }

        /// The tenant's name.
        public let tenant: String
        /// The step that is complete.
        public let step: Step
        /// The number of rows that were written to the new place so far.
        public internal(set) var rows = 0
        /// For ``Step/copying`` the model whose rows were copied, or the name of an internal table.
        public internal(set) var model: String?
    }
}
