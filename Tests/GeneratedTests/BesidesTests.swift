import ArchiveBackend
import Foundation
import StorageAPI
import StorageConformance
import Synchronization
import TestSupport
import Testing

/// Tests that programs look at the surroundings of a store.
struct BesidesTests {
    @Test(arguments: WrongHarness.Wrong.allCases)
    func `programs find what is not beside the store`(_ wrong: WrongHarness.Wrong) async throws {
        // A program that looks at a backup before it opens its store again, which the harness takes for a backup where the
        // program is repeated.
        var tests = GeneratedTests(programs: 60, steps: 50, seed: 4, parallelism: 1)
        tests.mostFailures = 1
        tests.shrinkingBudget = 0
        tests.isObserved = false
        let report = try await tests.run(WrongHarness(wrong: wrong))
        expect(report.failures.first?.description.contains(wrong.rawValue), equals: true, "\(report)")
    }
}

/// Archives of which one thing is another one.
struct WrongHarness: ConformanceHarness {
    /// The mistakes that programs then report.
    enum Wrong: String, CaseIterable, Sendable {
        case follower = "A store beside has other contents"
        case growingFile = "A file that was cut does not open"
        case backup = "A backup has other contents"
    }

    let wrong: Wrong
    private let asked = Asked()

    init(wrong: Wrong) { self.wrong = wrong }

    /// The places that stores were asked for, and how often.
    private final class Asked: Sendable { let places = Mutex<[URL]>([]) }

    func backend(at place: URL) -> any StorageBackend {
        let earlier = asked.places.withLock { places in
            places.append(place)
            return places.dropLast().count { $0 == place }
        }
        // The store's own place is asked for first; a backup is looked for where it is not.
        let isBackup = asked.places.withLock { $0.first } != place
        let name = wrong == .backup && isBackup ? "test\(earlier).karch" : "test.karch"
        return ArchiveBackend(path: place.appending(path: name).path)
    }

    func follower(at place: URL) -> (any StorageBackend)? {
        ArchiveBackend(
            path: place.appending(path: wrong == .follower ? "other.karch" : "test.karch").path,
            access: wrong == .follower ? .readWrite : .readOnly)
    }

    func growingFile(at place: URL) -> URL? {
        guard wrong == .growingFile else { return nil }
        let file = place.appending(path: "other")
        if !FileManager.default.fileExists(atPath: file.path) { try? Data(repeating: 7, count: 4096).write(to: file) }
        return file
    }
}
