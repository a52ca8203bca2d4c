import Foundation
import StorageKit

/// CoreDataAPI, of an article on Core Data: an entity of uploads, whose properties may all be nil.
enum CoreDataPort {
    @Storable struct Upload: Equatable {
        var id: Int?  // which the store assigns
        var fileName: String?
        var fileSize: String?
        var fileType: Int?
        var isFinished: Bool?
        var imageData: Data?
        var time: Date?
        var urlPath: String?
    }

    static func run(_ url: String) async throws {
        let store = try await open(url, [Upload.self])
        let moment = Date(timeIntervalSince1970: 1_468_512_000)
        try await store.save(
            dictionary: ["fileName": "b.png", "isFinished": false, "time": moment, "urlPath": "/b"], as: Upload.self)
        try await store.insert([
            Upload(fileName: "a.png", fileType: 1, isFinished: false, urlPath: "/a"),
            Upload(fileName: "a.png", fileType: 2, isFinished: true, urlPath: "/c"),
        ])
        expect(
            try await throwing(.invalidValue) {
                try await store.save(dictionary: ["fileName": 5], as: Upload.self)
            }, "a value that the property cannot hold throws, and names it")

        let sorted = try await store.select(Upload.self).order(text: "fileName, fileType desc").all()
        expect(sorted.map(\.urlPath) == ["/c", "/a", "/b"], "sorted by several properties, each with a direction")
        let filtered = try await store.select(Upload.self).where(
            text: "fileName beginswith ? and isFinished = false", "a"
        ).all()
        expect(filtered.map(\.urlPath) == ["/a"], "filtered by a text")

        let changed = try await store.update(Upload.self)
            .where { $0.fileName == "b.png" && $0.urlPath == "/b" && $0.time == moment }.set(\.isFinished, to: true)
            .run()
        let finished = try await store.select(Upload.self).where { $0.isFinished == true }.count()
        expect(changed == 1 && finished == 2, "one property is set on what meets a condition, and nothing is loaded")
        expect(
            try await store.update(Upload.self).where { $0.fileName == "none" }.set(\.isFinished, to: true).run() == 0,
            "that nothing meets it is told as 0")
        expect(try await store.delete(Upload.self).run() == 3, "all are deleted by one call, which says how many")
        try await store.close()
    }
}
