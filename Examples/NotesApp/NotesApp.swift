// Notes with tags and attachments, kept in whatever store the environment names:
// STORAGE_URL=sqlite:notes.db swift run NotesApp add "Buy milk" --tag home
// STORAGE_URL=archive:notes.karch swift run NotesApp list

import ArgumentParser
import Foundation
import StorageKit

@main
struct NotesApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "NotesApp", abstract: "Keeps notes in the store that STORAGE_URL names.",
        subcommands: [Add.self, List.self, Search.self, Tag.self, Contents.self, Remove.self])
}

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a note.")
    @Argument var title: String
    @Option(help: "The text of the note.") var text = ""
    @Option(name: .customLong("tag"), help: "A tag; may be given several times.") var tags: [String] = []
    @Option(name: .customLong("attach"), help: "A file to keep with the note.") var files: [String] = []

    func run() async throws {
        let attachments = try files.map { file in
            let url = URL(filePath: file)
            return Attachment(name: url.lastPathComponent, contents: try Data(contentsOf: url))
        }
        try await withNotes { store in
            print(try await store.insert(Note(title: title, text: text, tags: tags, attachments: attachments)))
        }
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists notes.")
    @Option(help: "Only those with this tag.") var tag: String?

    func run() async throws {
        try await withNotes { store in
            let notes = store.select(Note.self)
            let chosen = tag.map { tag in notes.where { $0.tags.contains(tag) } } ?? notes
            for try await note in chosen.stream() { print(note) }
        }
    }
}

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists notes whose title, text or attachment has the words.")
    @Argument var words: String

    func run() async throws {
        try await withNotes { store in
            let notes = try await store.select(Note.self)
                .where {
                    $0.title.contains(words, ignoring: [.case, .diacritics])
                        || $0.text.contains(words, ignoring: [.case, .diacritics])
                        || $0.attachments.any { $0.name.contains(words, ignoring: [.case]) }
                }
                .order { $0.title }.all()
            for note in notes { print(note) }
        }
    }
}

struct Tag: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds tags to a note.")
    @Argument var id: Int
    @Argument var tags: [String]

    func run() async throws {
        try await withNotes { store in
            // Reading and writing are one: another program's change is not lost in between.
            let note = try await store.transaction { tx in
                guard var note = try tx.find(Note.self, key: id) else {
                    throw ValidationError("There is no note \(id).")
                }
                note.tags += tags.filter { !note.tags.contains($0) }
                try tx.update(note)
                return note
            }
            print(note)
        }
    }
}

struct Contents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes an attachment to standard output.")
    @Argument var id: Int
    @Argument var name: String

    func run() async throws {
        try await withNotes { store in
            let attachments = try await store.find(Note.self, key: id)?.attachments ?? []
            guard let attachment = attachments.first(where: { $0.name == name }) else {
                throw ValidationError("Note \(id) has no attachment \(name).")
            }
            try FileHandle.standardOutput.write(contentsOf: attachment.contents)
        }
    }
}

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes notes with their attachments.")
    @Argument var ids: [Int]

    func run() async throws {
        try await withNotes { store in
            let count = try await store.delete(Note.self).where { $0.id.isIn(ids) }.run()
            print("\(count) removed")
        }
    }
}
