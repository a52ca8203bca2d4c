import StorageAPI
import StorageDriver

/// The way to a value of a record: the names of properties, and the positions of owned records.
struct ValueAddress {
    private let record: Address
    private var path: [String] = []

    /// - Parameter commit: the commit as of which the record is shown; nil for now.
    init(_ schema: RecordSchema, _ key: [Value], asOf commit: Int? = nil) {
        record = Address("/blob").adding("m", schema.name).adding("k", schema.texts(key))
            .adding("at", commit.map { String($0) })
    }

    /// The address of a part.
    func adding(_ part: String) -> ValueAddress {
        var address = self
        address.path.append(part)
        return address
    }

    /// The address from which the value is downloaded.
    var address: Address { record.adding("p", path) }
}

extension DynamicRecord {
    /// The content at the end of a path; nil if the record has no such content.
    func content(at path: some Collection<String>) -> Content? {
        guard let name = path.first, let content = self[name] else { return nil }
        let rest = path.dropFirst()
        guard let next = rest.first else { return content }
        switch content {
        case .child(let child?): return child.content(at: rest)
        case .children(let children?):
            guard let place = Int(next), children.indices.contains(place) else { return nil }
            return children[place].content(at: rest.dropFirst())
        case .value, .child(nil), .children(nil): return nil
        }
    }
}
