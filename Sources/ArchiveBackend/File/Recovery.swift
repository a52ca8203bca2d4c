/// What opening a store file found.
package struct Recovery: Sendable, Equatable {
    /// Commits that were read, those without entries included.
    package var commits: Int
    /// What was cut off behind the last commit: a write that was never acknowledged, or was not waited for.
    package var torn: TornTail?
    /// What salvaging could not read, in the order of the file.
    package var damage: [Damage] = []

    package init(commits: Int = 0) { self.commits = commits }

    /// Sentences about what was found, for whoever uses the store.
    var remarks: [String] {
        (torn.map { [$0.description] } ?? []) + damage.map(\.description)
    }

    /// Bytes behind the last sound commit.
    package struct TornTail: Sendable, Equatable, CustomStringConvertible {
        package var offset: Int64
        package var size: Int64
        /// The file that they were copied to; nil where they are all zero, and for readers, who leave them alone.
        package var copy: String?

        package init(offset: Int64, size: Int64, copy: String? = nil) {
            (self.offset, self.size, self.copy) = (offset, size, copy)
        }

        package var description: String {
            let bytes =
                "The last \(size) bytes, from byte \(offset) on, are no whole commit: one that did not end, or was damaged."
            if let copy { return "\(bytes) They are in \(copy) now." }
            return
                "\(bytes) Opened to write, the store keeps them in a file beside it; for salvage, it reads what is whole."
        }
    }

    /// A part of the file that is not readable.
    package struct Damage: Sendable, Equatable, CustomStringConvertible {
        package var range: Range<Int64>
        package var reason: String

        package var description: String { "bytes \(range.lowerBound) to \(range.upperBound): \(reason)" }
    }
}
