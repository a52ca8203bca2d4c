import Hummingbird
import StorageKit

@Storable struct Note: Codable, Equatable, ResponseCodable {
    var id: Int
    var title: String
    var text = ""
    var tags: [String] = []
}

/// Some of the notes, and the token for the notes after them: `GET /notes?after=TOKEN`.
struct NotePage: ResponseEncodable {
    var notes: [Note]
    var next: Store.PageToken?

    init(_ page: Store.Page<Note>) {
        (notes, next) = (page.records, page.next)
    }
}

/// The content of a note that a client sends; its key is in the path.
struct NoteContent: Codable {
    var title: String
    var text: String?
    var tags: [String]?
}
