import Hummingbird
import StorageKit

@Storable struct Note: Codable, Equatable, ResponseCodable {
    var id: Int
    var title: String
    var text = ""
    var tags: [String] = []
}

/// What a client sends of a note; its key is in the path.
struct NoteContent: Codable {
    var title: String
    var text: String?
    var tags: [String]?
}
