import StorageKit
import TestSupport
import Testing

@Suite("W Records without types have the defaults of declared types")
struct RecordDefaultTests {
    @Storable struct Dish: Equatable {
        var id: Int
        var title = "none"
        var rating: Int
        var place: Home = Home(id: 1, city: "Kunming")
        var steps: [Step] = []
        var source: Step? = Step(text: "book")
    }
    @Storable struct Home: Equatable {
        var id: Int
        var city: String
    }
    @Storable struct Step: Equatable {
        var text: String
        var minutes = 5
    }

    @Test
    func `a record gets the defaults that the program declares for what it lacks, also in owned records`() async throws
    {
        try await withStore(.sqlite) { (store) async throws in
            let rating = RecordWritingTests.value("rating", .int(3), type: .int64)
            let step = DynamicRecord(
                model: "Step", fields: [RecordWritingTests.value("text", .text("cut"), type: .string)])
            let steps = DynamicRecord.Field(name: "steps", content: .children([step]))
            func dish(_ id: Int64, _ more: DynamicRecord.Field...) -> DynamicRecord {
                DynamicRecord(model: "Dish", fields: [RecordWritingTests.value("id", .int(id), type: .int64)] + more)
            }
            // Known before its type is.
            try await store.prepare([
                RecordSchema(
                    name: "Dish",
                    properties: [
                        .init(name: "id", kind: .column(.int64), isKey: true),
                        .init(name: "rating", kind: .column(.int64)),
                    ])
            ])
            try await expect(store.records("Dish").count(), equals: 0)
            try await store.insert(Dish(id: 9, rating: 1))
            try await store.insert(dish(2, rating, steps))
            await expectError(.invalidValue) { try await store.insert(dish(3)) }
            try await expect(
                store.find(Dish.self, key: 2),
                equals: Dish(id: 2, rating: 3, steps: [Step(text: "cut")]))
        }
    }
}
