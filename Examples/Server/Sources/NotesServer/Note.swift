import Hummingbird
import StorageKit

@Storable struct Note: Codable, Equatable, ResponseCodable {
    var id: Int
    var title: String
    var text = ""
    var tags: [String] = []
}

/// The content of a note that a client sends; its key is in the path.
struct NoteContent: Codable {
    var title: String
    var text: String?
    var tags: [String]?
}
