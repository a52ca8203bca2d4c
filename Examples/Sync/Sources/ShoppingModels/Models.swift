import Foundation
import StorageKit

/// An item of the list that all users share.
@Storable public struct Item: Equatable, Sendable {
    public var id: UUID
    @Unique public var name: String
    public var amount = 1
    public var isBought = false

    public init(_ name: String, amount: Int = 1) {
        (id, self.name, self.amount) = (UUID(), name, amount)
    }
}

/// A note that no other user sees.
@Storable public struct Note: Equatable, Sendable {
    public var id: UUID
    public var owner: String
    public var text: String

    public init(_ text: String, of owner: String) {
        (id, self.owner, self.text) = (UUID(), owner, text)
    }
}

/// The models that cross.
public let shoppingModels: [any Storable.Type] = [Item.self, Note.self]

/// The options of the hub's store and of each device's.
public func shoppingOptions(author: String? = nil) -> Store.Options {
    Store.Options(history: .init(records: shoppingModels), author: author)
}
