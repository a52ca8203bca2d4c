import ArgumentParser
import Foundation
import KeyedArchives
import MemoryBackend
import StorageAPI
import StorageDriver
import StorageJSON

@testable import storage

/// A file that `storage import` reads. Its last byte chooses the format and whether bad records are skipped.
struct ToolImport: Fuzzed {
    private let folder: ScratchFolder
    private static let formats = [
        [], ["--format", "csv"], ["--format", "tsv"], ["--format", "json"], ["--format", "ndjson"],
        ["--format", "csv", "--quote", "none"], ["--format", "csv", "--encoding", "utf-16"],
    ]

    init() throws { folder = try ScratchFolder() }

    func test(_ bytes: [UInt8]) throws {
        try folder.empty()
        let choice = Int(bytes.last ?? 0)
        try Data(bytes.dropLast()).write(to: URL(filePath: folder.file("input")))
        let store = "archive:\(folder.file("a.karch"))?durability=relaxed"
        let arguments =
            [store, "--model", "Thing", "--no-progress", folder.file("input")]
            + Self.formats[choice % Self.formats.count]
            + (choice & 0x80 != 0 ? ["--skip-bad", folder.file("bad")] : [])
        try wait {
            do {
                try await ImportCommand.parse(arguments).run()
            } catch is ToolError, is InputProblem {
                return
            } catch let error as StorageError {
                let isOfInput = ![.io, .corrupt, .closed, .busy, .locked, .schemaNewer].contains(error.code)
                return require(isOfInput, "an import failed: \(error)")
            }
            let opened = try await Store(url: store, backends: StoreLocation.backends)
            try await opened.verify { stop("what was imported is wrong: \($0)") }
            try await opened.close()
        }
    }
}

/// JSON of models. What is read is written as JSON that is read as the same, and a call that throws stores nothing.
struct ModelJSON: Fuzzed {
    private let store: Store

    init() throws { store = try wait { try await Store(InMemoryBackend(), models: Order.self) } }

    func test(_ bytes: [UInt8]) throws {
        let isLenient = bytes.last == 0
        let json = Data(bytes)
        try wait { [store] in try await store.truncate("Order") }
        let models = try allowing([.invalidValue, .limitExceeded]) { try Order.models(json: json, lenient: isLenient) }
        let count = try allowing([.invalidValue, .limitExceeded, .missingKey, .duplicateKey]) {
            try wait { [store] in try await store.save(json: json, as: Order.self, options: .init(lenient: isLenient)) }
        }
        let stored = try wait { [store] in try await store.select(Order.self).all() }
        require(count != nil || stored.isEmpty, "a call that failed has stored \(stored)")
        guard let models else { return require(count == nil, "what cannot be read is stored") }
        let again = try Order.models(json: try models.json())
        require(again == models, "\(models) is \(again) after it was written as JSON and read")
    }
}

/// A keyed archive. What is read is written as an archive that is read as the same.
struct KeyedArchiveFile: Fuzzed {
    init() {}

    func test(_ bytes: [UInt8]) throws {
        let refusals: Set<StorageError.Code> = [.corrupt, .typeMismatch, .limitExceeded, .schemaNewer]
        _ = try allowing(refusals) { try KeyedArchive.decode(Sample.schema, from: bytes) }
        guard let orders = try allowing(refusals, { try KeyedArchive.decode([Order].self, from: bytes) }) else {
            return
        }
        let written = try KeyedArchive.encode(orders)
        let again = try KeyedArchive.decode([Order].self, from: written)
        // Bytes, since no NaN equals itself.
        let rewritten = try KeyedArchive.encode(again)
        require(rewritten == written, "\(orders) is \(again) after it was written as an archive and read")
    }
}

/// A model of each kind of property that JSON and archives treat in a way of its own. (The macro's plugin would be
/// instrumented too, and is not built for that.)
struct Order: Equatable, Storable {
    typealias Key = Int

    var id: Int
    var name = ""
    var price: Double?
    var amount: Decimal?
    var at: Date?
    var data: Data?
    var link: URL?
    var tags: [String] = []
    var counts: [[UInt8]] = []
    var lines: [Line] = []

    struct Line: Equatable, Storable {
        typealias Key = Int

        var id: Int
        var text: String?

        static var schema: ModelSchema {
            ModelSchema("Line", [Property("id", Int.self, .key), Property("text", String?.self)])
        }

        init(reading row: inout RowReader) throws(StorageError) {
            id = try row.read(Int.self)
            text = try row.read(String?.self)
        }

        func write(into row: inout RowWriter) {
            row.write(id)
            row.write(text)
        }

        func writeKey(into row: inout RowWriter) { row.write(id) }

        struct Columns: ColumnSet {
            let _propertyPath: PropertyPath
            init(_ path: PropertyPath) { _propertyPath = path }
        }
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Order",
            [
                Property("id", Int.self, .key), Property("name", String.self, default: { "" }),
                Property("price", Double?.self), Property("amount", Decimal?.self), Property("at", Date?.self),
                Property("data", Data?.self), Property("link", URL?.self),
                Property("tags", [String].self, default: { [] }), Property("counts", [[UInt8]].self, default: { [] }),
                Property("lines", [Line].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        price = try row.read(Double?.self)
        amount = try row.read(Decimal?.self)
        at = try row.read(Date?.self)
        data = try row.read(Data?.self)
        link = try row.read(URL?.self)
        tags = try row.read([String].self)
        counts = try row.read([[UInt8]].self)
        lines = try row.read([Line].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(price)
        row.write(amount)
        row.write(at)
        row.write(data)
        row.write(link)
        row.write(tags)
        row.write(counts)
        row.write(lines)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}
