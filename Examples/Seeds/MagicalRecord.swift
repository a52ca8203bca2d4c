import Foundation
import StorageKit

/// TMagicalRecord: plain objects saved, found and changed by conditions, and relations of each kind with their inverses.
enum MagicalRecordPort {
    @Storable struct Snack: Equatable {
        @Key var snackId: Int
        var name = ""
        var taste: String?
        var size: Float = 0
        var price: Float = 0
    }

    @Storable struct Ticket: Equatable {
        @Key var ticketId: Int
        var seat: String
    }

    @Storable struct Worker: Equatable {
        @Key var workerId: Int
        var ticket: Ticket?
        var snacks: [Snack] = []
    }

    @Storable struct Team {
        @Key var teamId: Int
        var name: String
    }

    @Storable struct Coach {
        @Key var coachId: Int
        var name: String
        @Unique @Reference(onDelete: .cascade) var team: Ref<Team>  // one to one
    }

    @Storable struct Player {
        @Key var playerId: Int
        var name: String
        @Reference(onDelete: .nullify) var team: Ref<Team>?  // many to one
        var courses: [Ref<Course>] = []  // many to many
    }

    @Storable struct Course {
        @Key var courseId: Int
        var title: String
    }

    static func run(_ url: String) async throws {
        let store = try await open(
            url, [Snack.self, Worker.self, Team.self, Coach.self, Player.self, Course.self])
        try await finding(store)
        try await changing(store)
        try await relations(store)
        try await tasks(store)
        try await store.close()
    }

    private static func finding(_ store: Store) async throws {
        try await store.save(Snack(snackId: 123, name: "chips", size: 2, price: 3.5))
        try await store.save((1...20).map { Snack(snackId: $0, name: "snack \($0)", price: Float($0)) })
        let worker = Worker(
            workerId: 0, ticket: Ticket(ticketId: 0, seat: "7A"), snacks: (10..<19).map { Snack(snackId: $0) })
        try await store.save(worker)
        expect(
            try await store.find(Worker.self, key: 0) == worker, "objects in properties and in arrays are saved along")

        let first = try await store.select(Snack.self).where { $0.name == "snack 5" }.first()
        expect(first?.snackId == 5, "the first by a property")
        let cheap = #Predicate<Snack> { $0.snackId > 5 && $0.price < 9 }
        let found = try await store.select(Snack.self).where(cheap).order { $0.price.descending }.all()
        expect(found.map(\.snackId) == [8, 7, 6, 123], "all by a predicate, sorted")
        let (page, row) = (1, 5)
        let paged = try await store.select(Snack.self).order { $0.snackId }.limit(row).offset(page * row).all()
        expect(paged.map(\.snackId) == [6, 7, 8, 9, 10], "a page")
    }

    private static func changing(_ store: Store) async throws {
        try await store.update(Snack.self).where { $0.snackId == 123 }.set(\.name, to: "xxx").set(\.size, to: 999).run()
        let changed = try await store.find(Snack.self, key: 123)
        expect(changed?.size == 999 && changed?.price == 3.5, "by a condition, and what is not set stays")
        try await store.save(Snack(snackId: 0, name: "snack 7", price: 70), matching: \.name)
        expect(
            try await store.find(Snack.self, key: 7)?.price == 70,
            "saved as the record of the same name, which keeps its key")
        expect(try await store.select(Snack.self).where { $0.price == 70 }.count() == 1, "and none twice")
        try await store.save(
            json: Data(#"[{"snackId": 7, "taste": "salt"}]"#.utf8), as: Snack.self, options: .init(merging: true))
        expect(
            try await store.find(Snack.self, key: 7)?.name == "snack 7", "of many at once, only what is given is set")
        try await store.update(Snack.self).where { $0.snackId == 7 }.set(\.taste, to: nil).run()
        expect(try await store.find(Snack.self, key: 7)?.taste == nil, "a property is set to nil by nil")
        let deleted = try await store.delete(Snack.self).where { $0.snackId <= 10 }.run()
        expect(deleted == 10, "what meets a condition is deleted, every one of it")
    }

    private static func relations(_ store: Store) async throws {
        let team = Team(teamId: 1, name: "Reds")
        let courses = [Course(courseId: 1, title: "Maths"), Course(courseId: 2, title: "Music")]
        try await store.transaction { tx in
            try tx.save(team)
            try tx.save(Coach(coachId: 1, name: "Ann", team: Ref(team)))
            try tx.save(courses)
            try tx.save([
                Player(playerId: 1, name: "Bo", team: Ref(team), courses: [Ref(courses[1]), Ref(courses[0])]),
                Player(playerId: 2, name: "Cy", team: Ref(team), courses: [Ref(courses[0])]),
            ])
        }
        let loaded = try await store.select(Team.self).with(\.coaches).with(\.players).all()
        expect(
            loaded.first.map { $1.map(\.name) == ["Ann"] && $2.map(\.name) == ["Bo", "Cy"] } == true,
            "a team comes with its coach and its players, who only say which team is theirs")
        expect(
            try await throwing(.constraint) { try await store.save(Coach(coachId: 2, name: "Di", team: Ref(team))) },
            "one to one: a second coach is refused")
        let students = try await store.select(Course.self).order { $0.courseId }.with(\.players).all()
        expect(students.map { $1.count } == [2, 1], "many to many, from the other side")
        try await store.delete(Team.self, key: 1)
        let free = try await store.select(Player.self).where { $0.team == nil }.count()
        let coaches = try await store.select(Coach.self).count()
        expect(free == 2 && coaches == 0, "a team goes with its coach, and its players stay")
    }

    /// Saved on one thread, read on another: a call that has returned is seen by every later one.
    private static func tasks(_ store: Store) async throws {
        _ = try await Task.detached {
            try await store.save((100..<109).map { Snack(snackId: $0, name: "made elsewhere") })
        }.value
        let found = try await Task.detached {
            try await store.select(Snack.self).where { $0.snackId >= 100 && $0.snackId < 109 }.all()
        }.value
        expect(found.count == 9, "saved by one task and read by another")
    }
}

extension MagicalRecordPort.Team.Columns {
    var coaches: Inverse<MagicalRecordPort.Coach> { inverse(\.team) }
    var players: Inverse<MagicalRecordPort.Player> { inverse(\.team) }
}

extension MagicalRecordPort.Course.Columns {
    var players: Inverse<MagicalRecordPort.Player> { inverse(\.courses) }
}
