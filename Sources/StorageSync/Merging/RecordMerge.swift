import StorageAPI
import StorageDriver

/// Merges the changed properties of a patch with a record that others may have changed since the patch's author read it.
///
/// The same code runs at the hub for a new patch, and on a replica for waiting patches.
struct RecordMerge {
    let schema: RecordSchema
    /// The properties whose content was replaced unseen, with the content.
    private(set) var overwritten: [(property: String, lost: DynamicRecord.Content)] = []
    /// Decides on a property that both sides have changed; nil for the rules below.
    var decide: ((_ change: SyncPatch.PropertyChange, _ stored: DynamicRecord.Content) -> DynamicRecord.Content?)?

    init(_ schema: RecordSchema) { self.schema = schema }

    /// The record with a patch's changes.
    ///
    /// A property of which only one side has another content than before takes that. An array of owned records is merged by
    /// their keys and properties, an array of references by its elements. Otherwise the patch's content counts; if only a rule of
    /// a reference has made it, the stored one.
    mutating func merged(_ record: DynamicRecord, _ changes: [SyncPatch.PropertyChange], byRule: Bool) -> DynamicRecord
    {
        var record = record
        for unit in units(changes) {
            let places = unit.compactMap { change in record.fields.firstIndex { $0.name == change.name } }
            guard places.count == unit.count else { continue }
            let stored = places.map { record.fields[$0].content }
            if zip(stored, unit).allSatisfy({ $0.matches($1.after) }) { continue }
            let isSeen = zip(stored, unit).allSatisfy { $0.matches($1.before) }
            for ((place, change), stored) in zip(zip(places, unit), stored) {
                let content = isSeen ? change.after : merged(change, stored, byRule: byRule)
                record.fields[place].content = content.over(stored, SchemaPath(schema).owned(by: change.name))
            }
        }
        return record
    }

    /// The changes that are merged as one: those of all parts of a reference's key.
    private func units(_ changes: [SyncPatch.PropertyChange]) -> [[SyncPatch.PropertyChange]] {
        let several = schema.severalParts
        if several.isEmpty { return changes.map { [$0] } }
        var units: [[SyncPatch.PropertyChange]] = []
        for change in changes {
            let parts = several.first { $0.contains(change.name) }
            if let parts, let last = units.indices.last, parts.contains(units[last][0].name) {
                units[last].append(change)
            } else {
                units.append([change])
            }
        }
        return units
    }

    /// The content of a property that both sides have changed.
    private mutating func merged(
        _ change: SyncPatch.PropertyChange, _ stored: DynamicRecord.Content, byRule: Bool
    ) -> DynamicRecord.Content {
        if let content = decide?(change, stored) {
            if content != stored { overwritten.append((change.name, stored)) }
            return content
        }
        if byRule || stored.matches(change.after) { return stored }
        if case .children(let before?) = change.before, case .children(let mine?) = change.after,
            case .children(let theirs?) = stored,
            let merge = OwnedMerge(
                SchemaPath(schema).owned(by: change.name), from: before, mine: mine, theirs: theirs)
        {
            if merge.hasOverwritten { overwritten.append((change.name, stored)) }
            return .children(merge.merged)
        }
        overwritten.append((change.name, stored))
        return change.after
    }
}

extension RecordSchema {
    /// The properties of each reference whose key has several parts.
    var severalParts: [[String]] {
        var found: [[String]] = []
        for property in properties {
            guard let reference = property.reference, !reference.isElement else { continue }
            if reference.part == 0 { found.append([]) }
            if let last = found.indices.last { found[last].append(property.name) }
        }
        return found.filter { $0.count > 1 }
    }
}

/// Merges two versions of an array of owned records that have keys, or of references, which are keys themselves.
private struct OwnedMerge {
    private(set) var merged: [DynamicRecord] = []
    /// True if one side's content of a record was replaced by the other's.
    private(set) var hasOverwritten = false
    private let path: SchemaPath
    private let keys: [String]

    /// Nil if the records have no keys, or some are equal, so that the array is one value.
    init?(
        _ path: SchemaPath?, from before: [DynamicRecord], mine: [DynamicRecord], theirs: [DynamicRecord]
    ) {
        guard let path else { return nil }
        self.path = path
        let isReferences = path.schema.properties.contains { $0.reference?.isElement == true }
        keys = isReferences ? path.schema.properties.map(\.name) : path.keys
        guard !keys.isEmpty, let was = byKey(before), let own = byKey(mine), let others = byKey(theirs) else {
            return nil
        }
        for record in theirs { keep(record, was: was[key(of: record)], own: own[key(of: record)]) }
        for record in mine where others[key(of: record)] == nil {
            // New on this side; or removed on the other side, and changed on this one.
            let old = was[key(of: record)]
            if old == nil { merged.append(record) }
            if let old, old != record {
                merged.append(record)
                hasOverwritten = true
            }
        }
    }

    private func key(of record: DynamicRecord) -> [Value] { keys.map { record.value($0) ?? .null } }

    private func byKey(_ records: [DynamicRecord]) -> [[Value]: DynamicRecord]? {
        let known = Dictionary(records.map { (key(of: $0), $0) }) { first, _ in first }
        return known.count == records.count ? known : nil
    }

    /// Takes over a record of the other side.
    ///
    /// - Parameters:
    ///   - was: the record before; nil if it did not exist.
    ///   - own: the record of this side; nil if it is gone.
    private mutating func keep(_ record: DynamicRecord, was: DynamicRecord?, own: DynamicRecord?) {
        guard let own else {
            // Removed on this side: gone, unless the other side has added or changed it.
            if was?.matches(record) != true { merged.append(record) }
            return
        }
        guard let was else {
            if !own.matches(record) { hasOverwritten = true }
            merged.append(own.over(record, path))
            return
        }
        var result = record
        for field in own.fields where was[field.name] != field.content {
            guard let index = result.fields.firstIndex(where: { $0.name == field.name }) else { continue }
            let stored = result.fields[index].content
            let isSeen = was[field.name].map(stored.matches) ?? false
            if !isSeen, !stored.matches(field.content) { hasOverwritten = true }
            result.fields[index].content = field.content.over(stored, path.owned(by: field.name))
        }
        merged.append(result)
    }
}
