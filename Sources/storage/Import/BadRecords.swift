import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

/// The place of a record: its input, and its line there.
struct RecordPlace: Hashable, Comparable, Sendable {
    let file: Int
    let line: Int

    static func < (left: Self, right: Self) -> Bool { (left.file, left.line) < (right.file, right.line) }
}

/// The bad records of the inputs: reported by line, and written to a file if requested.
struct BadRecords: Sendable {
    /// The number of records that are reported one by one.
    static let maximumTold = 20

    private(set) var count = 0
    private var told: [(place: RecordPlace, message: String)] = []
    private let path: String?
    private var file: FileHandle?

    /// - Parameter path: a new file for the bad records; nil if one bad record is too many.
    init(keptIn path: String?) throws(ToolError) {
        self.path = path
        guard let path else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ToolError("Cannot make \(path): \(String(cString: strerror(errno))).", .io)
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// True if an import continues without them.
    var areSkipped: Bool { path != nil }

    /// - Parameter index: which of the inputs has it.
    mutating func add(_ problem: BadRecord, of index: Int, _ bytes: [UInt8]) throws(ToolError) {
        count += 1
        if told.count < Self.maximumTold {
            told.append((RecordPlace(file: index, line: problem.line), problem.message))
        }
        guard let file, let path else { return }
        do {
            var line = Data(bytes)
            if line.last != 0x0A { line.append(0x0A) }
            try file.write(contentsOf: line)
        } catch {
            throw ToolError("\(path) cannot be written: \(error.localizedDescription)", .io)
        }
    }

    /// Reports the known facts about an added record.
    mutating func tell(_ message: String, at place: RecordPlace) {
        guard let index = told.firstIndex(where: { $0.place == place }) else { return }
        told[index].message = message
    }

    /// Removes the file of an import that has failed.
    func discard() {
        guard let path else { return }
        unlink(path)
    }

    /// A line for each of the first, and the number of the others.
    func lines(of files: [RecordFile]) -> [String] {
        let lines = told.sorted { $0.place < $1.place }.map { place, message in
            "\(files[place.file].name), line \(place.line): \(message)".printable
        }
        return count > told.count ? lines + ["and \((count - told.count).grouped) others."] : lines
    }
}
