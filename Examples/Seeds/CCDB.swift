import Foundation
import StorageKit

/// CCDB: models from dictionaries by key paths, models in models, and containers, which are ordered lists.
enum CCDBPort {
    @Storable struct User: Equatable {
        @Key var userId: Int
        var username: String
        @Field(path: "info.age") var age: Int
    }

    @Storable struct Message: Equatable {
        @Key var messageId: String
        @Indexed var text = ""
        /// A user who is in many messages.
        var user: Ref<User>
    }

    /// A type that is no model: it has no key and lives in a property.
    struct Place: Codable, Equatable {
        var name: String
        var floor: Int?
    }

    /// A type that says what is stored of it, which queries see.
    struct Color: RawRepresentable, Equatable {
        var red: UInt8, green: UInt8, blue: UInt8

        init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

        init?(rawValue: String) {
            let parts = rawValue.split(separator: ",").compactMap { UInt8($0) }
            guard parts.count == 3 else { return nil }
            self.init(parts[0], parts[1], parts[2])
        }

        var rawValue: String { "\(red),\(green),\(blue)" }
    }

    @Storable struct Moment: Equatable {
        @Key var momentId: String
        var color = Color(0, 0, 0)
        var comments: [String: [String]] = [:]
        var place: Place?
    }

    /// A container: a list of users, who may be in others too.
    @Storable struct Group: Equatable {
        @Key var name: String
        @Reference(onDelete: .nullify) var members: [Ref<User>] = []
    }

    static func run(_ url: String) async throws {
        let store = try await open(url, [User.self, Message.self, Moment.self, Group.self])
        let dictionary: [String: Any] = ["userId": 1, "username": "Francis", "info": ["age": 30]]
        try await store.save(dictionary: dictionary, as: User.self)
        expect(try await store.find(User.self, key: 1)?.age == 30, "a dictionary becomes a model, by key paths")

        let user = User(userId: 2, username: "Ann", age: 41)
        try await store.transaction { tx in
            try tx.save(user)
            try tx.save([
                Message(messageId: "a", text: "hello", user: Ref(user)), Message(messageId: "b", user: Ref(user)),
            ])
        }
        let loaded = try await store.select(Message.self).with(\.user).all()
        expect(loaded.allSatisfy { $1 == user }, "messages come with their user, who is loaded once")

        let moment = Moment(
            momentId: "m", color: Color(255, 0, 9), comments: ["Ann": ["nice", "really"]],
            place: Place(name: "Café", floor: nil))
        try await store.save(moment)
        expect(
            try await store.find(Moment.self, key: "m") == moment,
            "dictionaries, and types that are no models, are values")
        let red = try await store.select(Moment.self).where { $0.color == Color(255, 0, 9) }.count()
        expect(red == 1, "and a type of one's own is queried by what is stored of it")

        try await queries(store)
        try await containers(store)
        try await store.close()
    }

    private static func queries(_ store: Store) async throws {
        try await store.save((3...60).map { User(userId: $0, username: "user \($0)", age: $0) })
        let page = try await store.select(User.self).where { $0.age > 30 }.order { $0.age }.limit(20).offset(5).all()
        expect(page.count == 20 && page.first?.age == 36, "a condition, an order, a limit and an offset")
        let users = store.select(User.self).where { $0.userId > 2 }
        let (count, sum) = (try await users.count(), try await users.sum { $0.age })
        expect(count == 58 && sum == 1827, "counted and summed up in the engine")
        try await store.delete(User.self, key: 60)
        expect(try await store.find(User.self, key: 60) == nil, "one is deleted by its key")
    }

    private static func containers(_ store: Store) async throws {
        var friends = Group(name: "friends", members: [Ref(key: 5), Ref(key: 3)])
        try await store.save([friends, Group(name: "family", members: [Ref(key: 3)])])
        friends.members.insert(Ref(key: 9), at: 0)
        try await store.update(friends)
        let members = try await store.select(Group.self).where { $0.name == "friends" }.with(\.members).all()
        expect(members.first?.1.map(\.userId) == [9, 5, 3], "a container keeps its order; one user is in several")
        try await store.delete(User.self, key: 3)
        let left = try await store.select(Group.self).all().map { $0.members.map(\.key) }
        expect(left == [[], [9, 5]], "a user who is deleted leaves every container")
    }
}
