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
        var output = try ExportedJSON(file.path, layout, replacing: replacing)
        var part: [Model] = []
        for try await model in stream() {
            part.append(model)
            guard part.count == 256 else { continue }
            try output.write(part)
            part.removeAll(keepingCapacity: true)
        }
        try output.write(part)
        return try output.finish()
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

    mutating func write<Model: Storable>(_ models: [Model]) throws(StorageError) {
        guard !models.isEmpty else { return }
        var bytes: [UInt8] = []
        for text in try Self.texts(models) {
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

    private static func texts<Model: Storable>(_ models: [Model]) throws(StorageError) -> [String] {
        if let records = models as? [DynamicRecord] {
            return records.map { record in
                var bytes: [UInt8] = []
                JSONText.append(record, to: &bytes)
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return try ModelJSON<Model>(at: "", dates: nil, isLenient: false).json(models).map(\.text)
    }

    private mutating func append(_ bytes: [UInt8]) throws(StorageError) {
        let start = size
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.file.write(at: start, bytes) }
        }
        try written.get()
        size += Int64(bytes.count)
    }

    consuming func finish() throws(StorageError) -> Int {
        if layout == .array { try append(Array((count == 0 ? "[]\n" : "]\n").utf8)) }
        let count = count
        try file.publish()
        return count
    }
}
