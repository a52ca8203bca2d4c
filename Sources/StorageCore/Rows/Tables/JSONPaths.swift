import StorageDriver

extension Property {
    /// The names of the members that lead to the property.
    package var names: [String] {
        form.path.map { $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init) } ?? [storedName]
    }
}

extension ModelSchema {
    /// Checks that JSON has a separate place for each property, so that written records can be read again.
    ///
    /// - Throws: `configuration` for a path with an empty name, and for two properties at one path, or one inside the other.
    package func checkPaths() throws(StorageError) {
        var places = JSONPlaces()
        for property in properties {
            guard property.names.allSatisfy({ !$0.isEmpty }) else {
                throw StorageError(
                    .configuration,
                    "The path \"\(property.form.path ?? "")\" has an empty name; write it like info.age.", model: name,
                    property: property.name)
            }
            guard let other = places.add(property) else { continue }
            let path = property.names.joined(separator: ".")
            let otherPath = other.names.joined(separator: ".")
            let problem = path == otherPath ? "both at \(path)" : "at \(path) and \(otherPath), one inside the other,"
            throw StorageError(
                .configuration,
                "The properties \(other.name) and \(property.name) are \(problem) in JSON; give one of them another path.",
                model: name, property: property.name)
        }
    }
}

/// The places of properties in JSON.
private struct JSONPlaces {
    private var inner: [StoredName: JSONPlaces] = [:]
    private var property: Property?

    /// Takes the property's place; returns the one whose place that is, contains or is in.
    mutating func add(_ property: Property) -> Property? { add(property, property.names[...]) }

    private mutating func add(_ property: Property, _ names: ArraySlice<String>) -> Property? {
        if let other = self.property { return other }
        guard let name = names.first else {
            if let other = first { return other }
            self.property = property
            return nil
        }
        return inner[StoredName(name), default: JSONPlaces()].add(property, names.dropFirst())
    }

    /// A property here or further inside.
    private var first: Property? { property ?? inner.values.lazy.compactMap(\.first).first }
}
