// What the Swift of the documents may use without declaring it. Nothing of it runs: scripts/check-snippets checks types.

import ArchiveBackend
import Foundation
import KeyedArchives
import Logging
import MemoryBackend
import SQLiteBackend
import StorageConfiguration
import StorageConformance
import StorageDriver
import StorageKit
import StorageSync

@Storable struct City: Equatable {
    var id: Int
    var name: String
    var spell: String
}

@Storable struct Pen: Equatable {
    var id: Int
    var color: String
    var price: Double
}

@Storable struct Person: Equatable {
    var id: Int
    @Indexed var name: String
    var nickname: String?
    @Unique var email: String?
    var age = 0
    var score: Double?
    var born: Date?
    var photo: Data?
    var tags: [String] = []
    var city: City?
    var pens: [Pen] = []
}

@Storable struct Song {
    var id: Int
    var title: String
}

@Storable struct Playlist {
    var id: Int
    @Reference(onDelete: .nullify) var tracks: [Ref<Song>] = []
}

var store: Store { never() }
var database: Store { never() }
var archive: Store { never() }
var person: Person { never() }
var other: Person { never() }
var people: [Person] { never() }
var playlist: Playlist { never() }
var song: Song { never() }
var intro: Song { never() }
var logger: Logger { never() }
var url: URL { never() }
var data: Data { never() }

func never<T>() -> T { fatalError("only types are checked") }

// What a program that synchronises has.
@Storable struct Note {
    var id: UUID
    var text = ""
}

@Storable struct Project {
    var id: UUID
    var title = ""
}

@Storable struct Invoice {
    var id: Int
    var date: Date
    var total: Decimal
}

var replica: Replica { never() }
var transport: any SyncTransport { never() }
func show(_: SyncOutcome) {}

// What a backend's author has.
typealias MyBackend = SQLiteBackend

struct Harness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend { MyBackend(path: place.path) }
}

var harness: Harness { never() }
var options: ConformanceOptions { never() }
var myTool: URL { never() }

// The types of Vapor that the page on servers uses.
protocol StorageKey { associatedtype Value }

protocol LifecycleHandler: Sendable {
    func shutdownAsync(_ application: Application) async
}

final class Application: Sendable {
    struct Storage {
        subscript<Key: StorageKey>(_: Key.Type) -> Key.Value? {
            get { never() }
            set { never(newValue) }
        }
    }

    struct Lifecycle { func use(_: any LifecycleHandler) {} }

    var storage: Storage {
        get { never() }
        set { never(newValue) }
    }
    var lifecycle: Lifecycle { never() }
}

func never<T>(_: T) { fatalError("only types are checked") }
