import StorageDriver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fills in the properties that models mark with `@Created` and `@Modified`.
struct Timestamps: Store.RowLayer {
    private let stamps: StampedModels

    init(_ stamps: StampedModels) { self.stamps = stamps }

    /// True if some model of the program has such properties.
    var isUsed: Bool { stamps.isUsed }

    func follows(_ model: StoredName) -> Bool { isUsed && stamps.stamps(of: model) != nil }

    func willWrite(_ row: inout Store.PendingRow) throws(StorageError) {
        guard let stamps = stamps.stamps(of: StoredName(row.model)) else { return }
        if let created = stamps.created { try setCreated(created, &row) }
        if let modified = stamps.modified { try row.set(modified, to: row.time) }
    }

    private func setCreated(_ property: String, _ row: inout Store.PendingRow) throws(StorageError) {
        guard let given = row[property] else { return }
        if row.operation != .insert, let stored = try row.stored(property) {
            // The record keeps the time, whatever the struct has. One from before the property gets the given time.
            return stored.isNull ? () : try row.set(property, raw: stored)
        }
        if given.isNull || !row.isOptional(property) { try row.set(property, to: row.time) }
    }
}
