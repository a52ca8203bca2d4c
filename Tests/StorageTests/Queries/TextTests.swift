import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Q3 Text without regard to case and diacritics")
struct FoldedTextTests {
    @Storable struct Line: Equatable {
        var id: Int
        var text: String
    }

    @Test
    func `Q3 every scalar of Unicode folds, and folding twice changes nothing`() throws {
        let folding: TextFolding = [.case, .diacritics]
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = folding.fold(String(scalar))
            if folded.unicodeScalars.elementsEqual([scalar]) { continue }
            try #require(![.unassigned, .privateUse].contains(scalar.properties.generalCategory), "\(value)")
            try #require(folding.fold(folded).utf8.elementsEqual(folded.utf8), "\(value)")
        }
    }

    /// All scalars that Unicode has given a meaning, in texts of 4,096. The others fold to themselves, see above.
    private static let lines: [Line] = {
        let scalars = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)
            .filter { ![.unassigned, .privateUse].contains($0.properties.generalCategory) }
        return stride(from: 0, to: scalars.count, by: 4096).map { start in
            let part = scalars[start..<min(start + 4096, scalars.count)]
            return Line(id: start, text: String(String.UnicodeScalarView(part)))
        }
    }()

    @Test(.repeatable, arguments: [Backend.memory, .sqlite, .archive])
    func `Q3 every backend folds each scalar as TextFolding does`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let lines = TestExtent.share(Self.lines, oneOf: 5)
            try await store.insert(lines)
            for folding: TextFolding in [.case, .diacritics, [.case, .diacritics]] {
                for line in lines {
                    let folded = folding.fold(line.text)
                    let select = store.select(Line.self).where { $0.id == line.id }
                    let isFound = try await select.where { $0.text.equals(folded, ignoring: folding) }.exists()
                    expect(isFound, "the scalars from place \(line.id) on")
                }
            }
        }
    }
}
