import Foundation
import Synchronization
import TerminalOutput

/// Lines that a person types on a terminal, edited by libedit: with a history, and completions by Tab.
///
/// The library is loaded when it is needed, by its readline interface. So the tool is built without its headers, and reads
/// plain lines where the library is missing.
struct LineEditor {
    // As <editline/readline.h> declares them.
    private typealias Read = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
    private typealias Add = @convention(c) (UnsafePointer<CChar>) -> CInt
    private typealias Generator = @convention(c) (UnsafePointer<CChar>?, CInt) -> UnsafeMutablePointer<CChar>?
    private typealias Matches = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Match = @convention(c) (UnsafePointer<CChar>, Generator) -> Matches?
    private typealias Complete = @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> Matches?

    private let read: Read
    private let add: Add

    /// - Parameters:
    ///   - history: the lines of earlier sessions, the oldest first.
    ///   - complete: the words that may stand after the text of a line.
    /// - Returns: nil if there is no terminal that lines can be edited on, or no libedit.
    init?(history: [String], complete: @escaping @Sendable (_ before: String) -> [String]) {
        let term = ProcessInfo.processInfo.environment["TERM", default: ""]
        guard Terminal.isTerminal(.standardInput), Terminal.isTerminal(.standardError), !["", "dumb"].contains(term),
            let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
            let read = dlsym(library, "readline"), let add = dlsym(library, "add_history"),
            let match = dlsym(library, "rl_completion_matches"), let line = dlsym(library, "rl_line_buffer"),
            let output = dlsym(library, "rl_outstream"), let isOver = dlsym(library, "rl_attempted_completion_over"),
            let completes = dlsym(library, "rl_attempted_completion_function"),
            let breaks = dlsym(library, "rl_basic_word_break_characters")
        else { return nil }
        // The library is never closed, and its functions and variables have these types.
        self.read = unsafeBitCast(read, to: Read.self)
        self.add = unsafeBitCast(add, to: Add.self)
        Completion.current.withLock {
            $0 = Completion(
                words: complete, match: unsafeBitCast(match, to: Match.self), line: Address(line),
                isOver: Address(isOver))
        }
        completes.assumingMemoryBound(to: Complete.self).pointee = Completion.complete
        // What is printed is data; what is drawn is not.
        output.assumingMemoryBound(to: UnsafeMutablePointer<FILE>?.self).pointee = fdopen(STDERR_FILENO, "w")
        // A name of a model or property ends at what is between names in a condition.
        breaks.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee = strdup(
            " \t\n\"\\'`@$><=;|&{(.,!+*/:")
        // Texts have the characters of the person's language.
        setlocale(LC_CTYPE, "")
        for line in history { _ = self.add(line) }
    }

    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "libedit.dylib"]

    /// The next line without its end; nil at the end of the input.
    func line(asked prompt: String) -> String? {
        guard let line = read(prompt) else { return nil }
        defer { free(line) }
        return String(cString: line)
    }

    /// Makes a line one that is found again by the arrow keys.
    func remember(_ line: String) { _ = add(line) }

    /// The address of a variable of the library.
    private struct Address: @unchecked Sendable {
        // Only the thread that reads a line follows it, from within the library.
        let pointer: UnsafeMutableRawPointer

        init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
    }

    /// The source of completions for a callback of the library, which has no context.
    private struct Completion {
        let words: @Sendable (String) -> [String]
        let match: Match
        let line: Address
        let isOver: Address
        /// The words that the library has not asked for yet, the next one last.
        var left: [String] = []

        static let current = Mutex<Completion?>(nil)

        static let complete: Complete = { text, start, _ in
            guard let text, let completion = current.withLock({ $0 }) else { return nil }
            // Names of files would be the library's own choice.
            completion.isOver.pointer.assumingMemoryBound(to: CInt.self).pointee = 1
            let buffer = completion.line.pointer.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee
            // The library counts wide characters.
            let before = buffer.map { String(cString: $0).unicodeScalars.prefix(Int(start)) } ?? ""[...].unicodeScalars
            let word = String(cString: text)
            let found = completion.words(String(String.UnicodeScalarView(before))).filter { $0.hasPrefix(word) }
            current.withLock { $0?.left = found.reversed() }
            return completion.match(text) { _, _ in
                current.withLock { $0?.left.popLast() }.flatMap { strdup($0) }
            }
        }
    }
}

/// The lines of earlier sessions, in a file that only its owner may read.
struct LineHistory {
    private static let maximum = 1000

    private let path: String
    private(set) var lines: [String] = []

    /// - Returns: nil if the person wants none.
    init?() {
        let path = ProcessInfo.processInfo.environment["STORAGE_HISTORY"] ?? NSHomeDirectory() + "/.storage_history"
        guard !path.isEmpty else { return nil }
        self.path = path
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        let all = text.split(separator: "\n").map(String.init)
        lines = all.suffix(Self.maximum)
        if all.count > 2 * Self.maximum {
            try? Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
        }
    }

    /// Adds a line; false for one that exists already. Where it cannot be written, it is not kept, which is no error.
    mutating func add(_ line: String) -> Bool {
        guard line.contains(where: { !$0.isWhitespace }), line != lines.last else { return false }
        lines.append(line)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return true }
        // One write, so that lines of two shells do not mix.
        try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data("\(line)\n".utf8))
        return true
    }
}
