import StorageAPI
import StorageDriver
import StorageJSON

/// The most frequent values of a property among the records that meet a condition.
struct Facet: Sendable {
    let property: RecordSchema.Property
    private(set) var values: [(value: Value, count: Int)] = []
    /// True if the property has other values too.
    private(set) var hasMore = false

    /// The most values of a property, and the most properties of a page.
    private static let mostValues = 10
    static let most = 4

    /// Counts the values, by one query for each property. The query examines all records that meet the condition, unless an
    /// index has the property.
    static func load(_ request: TableRequest, _ schema: RecordSchema, in store: Store) async throws
        -> [Facet]
    {
        var facets: [Facet] = []
        for property in request.facets.compactMap({ schema.property($0) }) {
            let groups = try await request.records.all(store).groups(
                by: [property.name.queryName], computing: [.count],
                order: [.init(column: 1, isDescending: true), .init(column: 0)], limit: mostValues + 1)
            var facet = Facet(property: property)
            facet.hasMore = groups.rows.count > mostValues
            facet.values = groups.rows.prefix(mostValues).map { row in
                (value: row[0], count: Int(row[1].amount ?? 0))
            }
            facets.append(facet)
        }
        return facets
    }

    /// The reference that the values are keys of; nil for other properties.
    func relation(_ schema: RecordSchema) -> Relation? {
        Relation.all(of: schema).first {
            $0.owners.isEmpty && !$0.isArray && $0.parts.count == 1 && $0.name == property.name
        }
    }
}
