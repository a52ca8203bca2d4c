import StorageAPI
import StorageJSON
import StorageSync

/// Writes messages and outcomes as JSON. Members that a message does not have are left out.
enum SyncJSON {
    /// An object whose members are appended one by one.
    private struct Members {
        private var isFirst = true

        mutating func add(_ name: String, to bytes: inout [UInt8], _ value: (inout [UInt8]) -> Void) {
            bytes.append(UInt8(ascii: isFirst ? "{" : ","))
            isFirst = false
            JSONText.append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            value(&bytes)
        }

        mutating func add(_ name: String, _ value: JSONValue?, to bytes: inout [UInt8]) {
            if let value { add(name, to: &bytes) { $0 += value.text.utf8 } }
        }

        mutating func add<T>(
            _ name: String, list: [T], to bytes: inout [UInt8], _ element: (T, inout [UInt8]) -> Void
        ) {
            if list.isEmpty { return }
            add(name, to: &bytes) { JSONText.append(list, open: "[", close: "]", to: &$0, element) }
        }
    }

    static func append(_ message: SyncMessage, to bytes: inout [UInt8]) {
        var members = Members()
        members.add("kind", .string(message.kind.rawValue), to: &bytes)
        members.add("mark", .string(hexadecimal(message.mark)), to: &bytes)
        members.add("replica", message.replica.map { .string(hexadecimal($0)) }, to: &bytes)
        members.add("refusal", message.refusal.map { .string("\($0)") }, to: &bytes)
        members.add("model", message.model.map(JSONValue.string), to: &bytes)
        members.add("place", message.place.map(JSONValue.string), to: &bytes)
        members.add("positions", list: message.positions, to: &bytes) { position, bytes in
            var members = Members()
            members.add("token", .string(position.token), to: &bytes)
            if !position.models.isEmpty {
                members.add("models", .array(position.models.map(JSONValue.string)), to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        members.add("lastOutcome", message.lastOutcome.map(JSONValue.count), to: &bytes)
        members.add("patches", list: message.patches, to: &bytes, append)
        members.add("decisions", list: message.decisions, to: &bytes) { decision, bytes in
            var members = Members()
            members.add("patch", .count(decision.patch), to: &bytes)
            append(decision.result, &members, to: &bytes)
        }
        members.add("records", list: message.records, to: &bytes, append)
        members.add("unknown", list: message.unknown, to: &bytes) { JSONText.append($0, to: &$1) }
        members.add("isLast", message.isLast.map(JSONValue.bool), to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    static func append(_ outcome: SyncOutcome, to bytes: inout [UInt8]) {
        var members = Members()
        members.add("id", .count(outcome.id), to: &bytes)
        if let patch = outcome.patch { members.add("patch", to: &bytes) { append(patch, to: &$0) } }
        append(outcome.result, &members, to: &bytes)
    }

    private static func append(_ result: SyncOutcome.Result, _ members: inout Members, to bytes: inout [UInt8]) {
        let values: [SyncOverwrite]
        switch result {
        case .refused(let reason):
            members.add("result", .string("refused"), to: &bytes)
            members.add("reason", .string(reason), to: &bytes)
            values = []
        case .applied(let overwritten):
            members.add("result", .string("applied"), to: &bytes)
            values = overwritten
        case .joined(let different):
            members.add("result", .string("joined"), to: &bytes)
            values = different
        }
        members.add("overwritten", list: values, to: &bytes) { value, bytes in
            var members = Members()
            append(value.model, key: value.key, &members, to: &bytes)
            members.add("property", .string(value.property), to: &bytes)
            members.add("lost", to: &bytes) { JSONText.append(value.lost, to: &$0) }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ patch: SyncPatch, to bytes: inout [UInt8]) {
        var members = Members()
        members.add("number", .count(patch.number), to: &bytes)
        members.add("author", patch.author.map(JSONValue.string), to: &bytes)
        members.add("note", patch.note.map(JSONValue.string), to: &bytes)
        members.add("changes", list: patch.changes, to: &bytes, append)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ change: SyncPatch.Change, to bytes: inout [UInt8]) {
        var members = Members()
        let (kind, record): (String, DynamicRecord?) =
            switch change.kind {
            case .inserted(let record): ("inserted", record)
            case .updated: ("updated", nil)
            case .deleted(let record): ("deleted", record)
            }
        members.add("kind", .string(kind), to: &bytes)
        append(change.model, key: change.key, &members, to: &bytes)
        if change.byRule { members.add("byRule", .bool(true), to: &bytes) }
        if let record { members.add("record", to: &bytes) { JSONText.append(record, to: &$0) } }
        if case .updated(let properties) = change.kind {
            members.add("properties", to: &bytes) { bytes in
                JSONText.append(properties, open: "{", close: "}", to: &bytes) { property, bytes in
                    JSONText.append(property.name, to: &bytes)
                    bytes += ":{\"before\":".utf8
                    JSONText.append(property.before, to: &bytes)
                    bytes += ",\"after\":".utf8
                    JSONText.append(property.after, to: &bytes)
                    bytes.append(UInt8(ascii: "}"))
                }
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ record: SyncMessage.RecordState, to bytes: inout [UInt8]) {
        var members = Members()
        members.add("model", .string(record.model), to: &bytes)
        if !record.key.isEmpty { members.add("key", .array(record.key.map(JSONValue.init(key:))), to: &bytes) }
        switch record.state {
        case .stored(let stored): members.add("record", to: &bytes) { JSONText.append(stored, to: &$0) }
        case .gone: members.add("state", .string("gone"), to: &bytes)
        case .asPatched: members.add("state", .string("asPatched"), to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ model: String, key: [Value], _ members: inout Members, to bytes: inout [UInt8]) {
        members.add("model", .string(model), to: &bytes)
        members.add("key", .array(key.map(JSONValue.init(key:))), to: &bytes)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
