import Foundation
import StorageAPI
import TerminalOutput

/// The bad records of an input: reported by line, and written to a file if requested.
struct BadRecords: Sendable {
    /// How many are reported one by one.
    static let mostTold = 20

    private(set) var count = 0
    private(set) var told: [BadRecord] = []
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

    /// Whether an import goes on without them.
    var areSkipped: Bool { path != nil }

    mutating func add(_ problem: BadRecord, _ bytes: [UInt8]) throws(ToolError) {
        count += 1
        if told.count < Self.mostTold { told.append(problem) }
        guard let file, let path else { return }
        do {
            var line = Data(bytes)
            if line.last != 0x0A { line.append(0x0A) }
            try file.write(contentsOf: line)
        } catch {
            throw ToolError("\(path) cannot be written: \(error.localizedDescription)", .io)
        }
    }

    /// Says of a record that was added what is known by now.
    mutating func tell(_ problem: BadRecord) {
        guard let place = told.firstIndex(where: { $0.line == problem.line }) else { return }
        told[place] = problem
    }

    /// Removes the file of an import that has failed.
    func discard() {
        guard let path else { return }
        unlink(path)
    }

    /// A line for each of the first, and how many others there are.
    func lines(of name: String) -> [String] {
        let lines = told.sorted { $0.line < $1.line }.map { "\(name), line \($0.line): \($0.message)".printable }
        return count > told.count ? lines + ["and \((count - told.count).grouped) others."] : lines
    }
}
