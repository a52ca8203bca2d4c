internal import StorageDriver

/// Builds the tables from a file's entries, in the order in which they were written.
struct StoreLoader {
    var tables = ArchiveTables()
    private(set) var archives: [ModelArchive] = []
    private(set) var usage = FileUsage()
    private var decoders: [String: ModelLoader] = [:]
    private let builder = RowBuilder()

    /// Turns the entries of one model into rows. Used by one thread at a time.
    private final class ModelLoader {
        var decoder: RecordDecoder
        /// The model's tables by their indexes.
        let places: [Int]

        init(_ archive: ModelArchive, _ places: [Int]) {
            decoder = RecordDecoder(archive.layout)
            self.places = places
        }
    }

    /// - Throws: `corrupt` for an entry that a store does not have, or whose contents do not fit the schema.
    mutating func take(_ entry: Entry) throws(StorageError) {
        if entry.name == CatalogEntry.entryName {
            let catalog = try CatalogEntry(entry.contents)
            usage.noteCatalog(since: catalog.since ?? entry.commit, at: entry.commit)
            return try apply(catalog)
        }
        guard let slash = entry.name.firstIndex(of: "/"), let loader = decoders[String(entry.name[..<slash])] else {
            throw StorageError(.corrupt, "The entry \(entry.name) belongs to no model of the store.")
        }
        // The name of a deleted record.
        guard !entry.contents.isEmpty else { return }
        let rest = entry.name[entry.name.index(after: slash)...]
        switch ModelArchive.contents(of: rest) {
        case .records: try put(entry, loader, isSeparate: !rest.contains("/"))
        case .deletedKeys: try delete(entry, loader)
        }
    }

    // MARK: Records

    private mutating func put(
        _ entry: Entry, _ loader: ModelLoader, isSeparate: Bool
    ) throws(StorageError) {
        let places = loader.places
        let isSeparate = isSeparate && entry.contents.count < EntryWriter.segmentBytes
        try loader.decoder.decode(entry.contents) { (record) throws(StorageError) in
            usage.written += 1
            if isSeparate { usage.separate += 1 }
            try put(record, places)
        }
    }

    private mutating func put(_ record: RecordRows, _ places: [Int]) throws(StorageError) {
        var isNew = true
        let rootKey = places.first.map { tables.list[$0].schema.key } ?? []
        for (index, place) in places.enumerated() {
            try tables.change(at: place) { (table) throws(StorageError) in
                let rows = record.tables[index]
                if index == 0 {
                    isNew = try table.load(rows.cells, builder)
                } else {
                    if !isNew { table.removeOwned(by: record.tables[0].cells, key: rootKey, builder) }
                    for row in 0..<rows.count {
                        guard try table.load(rows.cells + row * table.format.width, builder) else {
                            throw StorageError(.corrupt, "Two owned objects of one record have the same place.")
                        }
                    }
                }
            }
        }
    }

    private mutating func delete(_ entry: Entry, _ loader: ModelLoader) throws(StorageError) {
        let places = loader.places
        try loader.decoder.decodeKeys(entry.contents) { (key, _) throws(StorageError) in
            usage.written += 1
            for place in places {
                try tables.change(at: place) { (table) throws(StorageError) in
                    _ = table.remove(prefix: key, count: table.rootKeyCount, builder)
                }
            }
        }
    }

    // MARK: The catalog

    mutating func apply(_ catalog: CatalogEntry) throws(StorageError) {
        var next = ArchiveTables()
        let truncated = catalog.tables.map(\.schema).filter { catalog.truncated.contains($0.name) }
        for recorded in catalog.tables {
            let isEmpty = truncated.contains { recorded.schema.isOfModel($0) }
            var table = try self.table(recorded, isEmpty: isEmpty)
            table.greatestKey = recorded.greatestKey
            next.add(table)
        }
        tables = next
        archives = []
        decoders = [:]
        for model in tables.models {
            let archive = try ModelArchive(model, tables)
            archives.append(archive)
            decoders[archive.folder] = ModelLoader(archive, model.places)
        }
    }

    /// The current table with the catalog's schema.
    private func table(_ recorded: CatalogEntry.Table, isEmpty: Bool) throws(StorageError) -> ArchiveTable {
        let (schema, missing) = (recorded.schema, recorded.missing.map(\.value))
        guard missing.count == schema.columns.count, schema.key.allSatisfy(schema.columns.indices.contains) else {
            throw StorageError(.corrupt, "The store's schema of the table \(schema.name) contradicts itself.")
        }
        guard let old = tables[schema.name], !isEmpty else { return ArchiveTable(schema, missing: missing) }
        if old.schema == schema, old.schema.hasNames(of: schema) { return old }
        guard schema.columns.count >= old.schema.columns.count, schema.key == old.schema.key else {
            throw StorageError(
                .corrupt, "The store's schema of the table \(schema.name) is not one that it can become.")
        }
        return try old.altered(to: schema, added: Array(missing[old.missing.count...]))
    }
}
