// A table in the terminal that follows a store while other processes write to it. In two terminals:
// swift run WatchExample show weather.db
// swift run WatchExample write weather.db 100

import Foundation
import SQLiteBackend
import StorageKit

@Storable struct Station: Equatable {
    var id: Int
    var name: String
    var degrees: Double
    var readings = 0
}

let usage = "usage: WatchExample show PATH [READINGS], WatchExample write PATH READINGS"
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let command = arguments.first, let path = arguments.dropFirst().first else {
    print(usage)
    exit(64)
}
let number = arguments.dropFirst(2).first.flatMap { Int($0) }
let store = try await Store(SQLiteBackend(path: path), models: Station.self)
switch command {
case "show": try await show(until: number)
case "write": try await write(number ?? 100)
default: print(usage)
}
try await store.close()

/// Draws the table whenever it changes, until there are so many readings.
func show(until last: Int?) async throws {
    let isTerminal = isatty(1) == 1
    var drawn = 0
    for try await stations in store.select(Station.self).order({ $0.degrees.descending }).values() {
        let lines = stations.map { station in
            "\(station.name.padding(toLength: 10, withPad: " ", startingAt: 0))"
                + String(format: "%6.1f °C %6d readings", station.degrees, station.readings)
        }
        // Over the table before.
        if isTerminal, drawn > 0 { print("\u{1B}[\(drawn)A\u{1B}[J", terminator: "") }
        print(lines.joined(separator: "\n"))
        if !isTerminal { print() }
        drawn = lines.count
        if stations.reduce(0, { $0 + $1.readings }) >= last ?? .max { break }
    }
}

/// Takes readings of three stations, each in a transaction of its own.
func write(_ count: Int) async throws {
    let names = ["Oslo", "Lima", "Nairobi"]
    for reading in 0..<count {
        try await store.transaction { tx in
            let id = reading % names.count
            var station = try tx.find(Station.self, key: id) ?? Station(id: id, name: names[id], degrees: 10)
            station.degrees += Double((reading * 37) % 11 - 5) / 10
            station.readings += 1
            try tx.save(station)
        }
    }
}
