public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The separators between the records of a JSON file.
    public enum JSONLayout: Hashable, Sendable {
        /// One array of objects.
        case array
        /// An object on each line, which other programs call JSON Lines or NDJSON.
        case lines
    }
}

extension Select where Source == Store {
    /// Writes the records of the query to a file of JSON, each as `json()` writes it; `save(jsonFile:as:)` reads it
    /// again.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "people.json")
    /// try await store.select(Person.self).where { $0.age > 28 }.export(to: file)
    /// ```
    ///
    /// All of one snapshot. The file is there whole or not at all: it has another name until it is complete and on the disk.
    /// Holds 256 records at a time.
    ///
    /// - Parameters:
    ///   - file: where it is written.
    ///   - layout: one array, or an object on each line.
    ///   - replacing: whether a file that exists is replaced.
    /// - Returns: the number of written records.
    /// - Throws: `io` if the file exists and is not replaced, or cannot be written; `full`; `cancelled`; errors of `all()`.
    @discardableResult
    public nonisolated(nonsending) func export(
        to file: URL, as layout: Store.JSONLayout = .array, replacing: Bool = false
    ) async throws(StorageError) -> Int {
        let output = try ExportedJSON(file.path, layout, replacing: replacing)
        if Model.self == DynamicRecord.self {
            return try await output.write(stream()) { part throws(StorageError) in
                (part as? [DynamicRecord] ?? []).map(JSONText.text)
            }
        }
        let json = try ModelJSON<Model>(at: "", dates: nil, isLenient: false)
        return try await output.write(stream()) { part throws(StorageError) in try json.json(part).map(\.text) }
    }
}

extension Select.Joined where Source == Store {
    /// The records of the query as a JSON array, each as `json()` writes it, with the records that it was loaded with in the place
    /// of their keys.
    ///
    /// ```swift
    /// let data = try await store.select(Playlist.self).with(\.tracks).json()
    /// ```
    ///
    /// All of one snapshot, and in memory; `export(to:)` writes any number of records to a file. A reference that is nil is
    /// null, and one whose record `ifPresent` does not find stays a key.
    ///
    /// - Throws: errors of `all()`; `invalidQuery` for an inverse, for no property has its name.
    public nonisolated(nonsending) func json() async throws(StorageError) -> Data {
        let write = try writer()
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (place, text) in try await records.all().map(write).enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += text.utf8
        }
        bytes.append(UInt8(ascii: "]"))
        return Data(bytes)
    }

    /// Writes the records of the query to a file of JSON, each as `json()` writes it, with the records that it was loaded with in
    /// the place of their keys.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "playlists.json")
    /// try await store.select(Playlist.self).with(\.tracks).export(to: file)
    /// ```
    ///
    /// All of one snapshot. The file appears whole or not at all. Holds 256 records at a time, with the ones in them.
    ///
    /// - Parameters:
    ///   - file: where it is written.
    ///   - layout: one array, or an object on each line.
    ///   - replacing: whether a file that exists is replaced.
    /// - Returns: the number of written records, not counting the ones in them.
    /// - Throws: `io` if the file exists and is not replaced, or cannot be written; `full`; `cancelled`; errors of `json()`.
    @discardableResult
    public nonisolated(nonsending) func export(
        to file: URL, as layout: Store.JSONLayout = .array, replacing: Bool = false
    ) async throws(StorageError) -> Int {
        let write = try writer()
        return try await ExportedJSON(file.path, layout, replacing: replacing)
            .write(records.stream()) { $0.map(write) }
    }

    /// Writes a record as the types of the query declare it, or without types.
    private func writer() throws(StorageError) -> (DynamicRecord) -> String {
        if Model.self == DynamicRecord.self { return JSONText.text }
        let builder = try RecordBuilder(writing: types)
        return { builder.json($0).text }
    }
}

/// A file of JSON that is being written.
private struct ExportedJSON: ~Copyable {
    private let file: PublishedFile
    private let layout: Store.JSONLayout
    private var size: Int64 = 0
    private var count = 0

    init(_ path: String, _ layout: Store.JSONLayout, replacing: Bool) throws(StorageError) {
        file = try PublishedFile(path, over: replacing ? .anyFile : .nothing)
        self.layout = layout
    }

    /// Writes all elements of a sequence, some at a time.
    ///
    /// - Returns: the number of records.
    nonisolated(nonsending) consuming func write<Records: AsyncSequence>(
        _ records: Records, _ texts: ([Records.Element]) throws(StorageError) -> [String]
    ) async throws(StorageError) -> Int where Records.Failure == StorageError {
        var part: [Records.Element] = []
        for try await record in records {
            part.append(record)
            guard part.count == 256 else { continue }
            try write(texts(part))
            part.removeAll(keepingCapacity: true)
        }
        try write(texts(part))
        return try finish()
    }

    private mutating func write(_ texts: [String]) throws(StorageError) {
        guard !texts.isEmpty else { return }
        var bytes: [UInt8] = []
        for text in texts {
            switch layout {
            case .array: bytes += (count == 0 ? "[" : ",\n").utf8
            case .lines: break
            }
            bytes += text.utf8
            if layout == .lines { bytes.append(0x0A) }
            count += 1
        }
        try append(bytes)
    }

    private mutating func append(_ bytes: [UInt8]) throws(StorageError) {
        let start = size
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.file.write(at: start, bytes) }
        }
        try written.get()
        size += Int64(bytes.count)
    }

    private consuming func finish() throws(StorageError) -> Int {
        if layout == .array { try append(Array((count == 0 ? "[]\n" : "]\n").utf8)) }
        let count = count
        try file.publish()
        return count
    }
}
