import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests the code of the article "From JSON to a list".
@Suite("From JSON to a list") struct JSONTutorialTests {
    @Storable struct Maker: Equatable {
        var id: Int
        var name: String
    }
    @Storable struct Picture: Equatable {
        @Field(path: "src") var file: String
        var size = 0
    }
    @Storable struct Product: Equatable {
        var id: Int
        @Indexed var title: String
        @Field(path: "price.amount", lenient: true) var price: Decimal
        var tags: [String] = []
        @Reference(onDelete: .deny) var maker: Ref<Maker>
        @Field(path: "images") var pictures: [Picture] = []
        @Field(dates: .secondsSince1970) var updated: Date?
        var isFavourite = false
    }

    private static func answer(price: String = "12.50") -> Data {
        """
        {"status": "ok",
         "data": {"products": [
           {"id": 7, "title": "Fountain pen", "price": {"amount": "\(price)"}, "tags": ["ink"],
            "maker": {"id": 3}, "images": [{"src": "a.png", "size": 40}], "updated": 1700000000}
         ], "makers": [{"id": 3, "name": "Nib & Co", "city": "Ulm"}]}}
        """.data
    }

    private func keep(_ answer: Data, in store: Store) async throws {
        try await store.transaction { tx in
            try tx.save(json: answer, as: Product.self, options: .init(at: "data.products", merging: true))
            try tx.save(json: answer, as: Maker.self, options: .init(at: "data.makers", merging: true))
        }
    }

    @Test
    func `an answer is stored in one transaction, and a second one changes what it has`() async throws {
        try await withStore(.memory) { store in
            try await keep(Self.answer(), in: store)
            var product = Product(
                id: 7, title: "Fountain pen", price: 12.5, tags: ["ink"], maker: 3,
                pictures: [Picture(file: "a.png", size: 40)], updated: Date(timeIntervalSince1970: 1_700_000_000))
            try await expect(store.select(Product.self).all(), equals: [product])
            try await expect(store.select(Maker.self).all(), equals: [Maker(id: 3, name: "Nib & Co")])
            product.isFavourite = true
            try await store.save(product)
            try await keep(Self.answer(price: "13"), in: store)
            product.price = 13
            try await expect(store.select(Product.self).all(), equals: [product])
            do {
                try await keep(Self.answer(price: "free"), in: store)
                Issue.record("a price was stored that is not a price")
            } catch let error as StorageError {
                expect(
                    error.message, equals: "data.products[0].price.amount is the text \"free\", not a valid decimal.")
            }
            try await expect(store.select(Product.self).all(), equals: [product])
        }
    }
}
