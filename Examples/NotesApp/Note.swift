import Foundation
import StorageKit

/// A note, which owns its attachments: they are stored, loaded and removed with it.
@Storable struct Note {
    var id: Int?  // assigned by the store
    var title: String
    var text = ""
    var tags: [String] = []
    var attachments: [Attachment] = []
}

/// A file that is kept with a note.
@Storable struct Attachment {
    @Key var name: String
    var contents: Data
}

extension Note: CustomStringConvertible {
    /// `3  Shopping  #home #soon  (1 attachment)`
    var description: String {
        var parts = ["\(id ?? 0)", title]
        if !tags.isEmpty { parts.append(tags.map { "#" + $0 }.joined(separator: " ")) }
        if !attachments.isEmpty {
            parts.append("(\(attachments.count) attachment\(attachments.count == 1 ? "" : "s"))")
        }
        return parts.joined(separator: "  ")
    }
}
