import Foundation

/// One line of progress on standard error, shown only on a terminal.
package struct ProgressLine: Sendable {
    private let isShown: Bool
    private static let width = 24

    package init(isWanted: Bool) { isShown = isWanted && Terminal.isTerminal(.standardError) }

    /// Draws a bar for work with a known fraction, from 0 to 1. The amount of work may grow meanwhile.
    package func show(_ label: String, _ fraction: Double) {
        guard isShown else { return }
        let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 1
        let filled = Int(fraction * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        draw("\(label) \(String(Int(fraction * 100)).padded(to: 3, .right)) %  \(bar)")
    }

    /// Removes the line.
    package func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    /// Draws a moving block and the time for work of unknown length, such as one call to a store.
    package func during<T>(_ label: String, _ work: () async throws -> T) async throws -> T {
        try await during({ label }, work)
    }

    /// The same with a label that changes meanwhile.
    package func during<T>(_ label: @escaping @Sendable () -> String, _ work: () async throws -> T) async throws -> T {
        guard isShown else { return try await work() }
        let drawing = Task { await animate(label) }
        let result: Result<T, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        drawing.cancel()
        await drawing.value
        clear()
        return try result.get()
    }

    private func animate(_ label: @Sendable () -> String) async {
        let start = ContinuousClock.now
        var frame = 0
        while !Task.isCancelled {
            let elapsed = start.duration(to: .now).seconds
            draw("\(label())  \(elapsed.fixed(1)) s  \(Self.movingBlock(at: frame))")
            frame += 1
            try? await Task.sleep(for: .milliseconds(60))
        }
    }

    /// A block that goes to the right end and back.
    private static func movingBlock(at frame: Int) -> String {
        let block = 5
        let way = width - block
        let place = way - abs(frame % (2 * way) - way)
        return String(repeating: "░", count: place) + String(repeating: "█", count: block)
            + String(repeating: "░", count: way - place)
    }

    private func draw(_ line: String) {
        write("\r\(line.cut(to: Terminal.columns - 1))\u{1B}[K")
    }

    // A progress line that cannot be written is no reason to stop the work.
    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
