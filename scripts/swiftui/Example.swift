// The views of the page "SwiftUI", which scripts/check-documents compares with these.
import MemoryBackend
import StorageKit
import StorageObservation
import SwiftUI

// MODEL-BEGIN
@Storable
struct Note: Equatable {
    var id: Int
    var title: String
    var isDone = false
}
// MODEL-END

// NOTES-BEGIN
struct NoteList: View {
    @StoreQuery(\Note.title, where: { $0.isDone == false }) var notes

    var body: some View {
        if let error = $notes.error {
            Text(error.message)
        } else {
            List(notes, id: \.id) { Text($0.title) }
        }
    }
}
// NOTES-END

// COUNT-BEGIN
struct OpenNotes: View {
    @Environment(\.store) private var store
    @State private var count = 0

    var body: some View {
        Text("\(count) open").task {
            guard let store else { return }
            let open = store.select(Note.self).where { $0.isDone == false }
            do {
                for try await now in open.values(.count) { count = now }
            } catch { print(error) }
        }
    }
}
// COUNT-END

// SEARCH-BEGIN
struct SearchResults: View {
    @StoreQuery<Note> private var notes: [Note]

    init(_ text: String) {
        _notes = StoreQuery(
            \.title, pageSize: 50, where: { $0.title.contains(text) })
    }

    var body: some View {
        List(notes, id: \.id) { Text($0.title) }
        if $notes.hasMore { ProgressView().onAppear { $notes.loadMore() } }
    }
}
// SEARCH-END

// PREVIEW-BEGIN
struct Preview: View {
    var body: some View {
        StoreReader {
            let store = try await Store(
                InMemoryBackend(), models: Note.self)
            try await store.save([
                Note(id: 1, title: "Milk"), Note(id: 2, title: "Bread"),
            ])
            return store
        } content: {
            NoteList()
        }
    }
}
// PREVIEW-END
