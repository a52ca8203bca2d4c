import CBaseline
import StorageAPI

/// Reads a search for any of many words, and counts the instructions for each of them. A long search takes as many as a short
/// one.
enum Alternatives {
    static func count(_ number: Int, _ repetitions: Int) throws {
        let search = (0..<number).map { "word\($0)" }.joined(separator: " OR ")
        for round in 0...repetitions {
            cbaseline_count(round > 0 ? 1 : 0)
            let excerpt = "word0 and others".excerpt(for: search)
            cbaseline_count(0)
            guard excerpt.highlights.count == 1 else { throw BenchmarkError("the word is not found") }
        }
        print("operations", number * repetitions)
    }
}
