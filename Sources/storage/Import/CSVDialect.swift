import ArgumentParser
import StorageJSON

/// The meaning of quotation marks in delimited values.
enum QuoteStyle: String, CaseIterable, ExpressibleByArgument {
    /// Two marks enclose a field.
    case double
    /// Marks are characters.
    case none
}

/// The form of delimited values: the byte between two fields, and the meaning of quotation marks.
struct CSVDialect: Sendable {
    var delimiter: UInt8
    /// True if a quotation mark at the beginning of a field encloses it.
    var hasQuotes = true

    static let mark = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
}

extension CSVDialect {
    private static let firstRecords = 10

    /// Finds the delimiter of comma-separated values.
    ///
    /// - Returns: nil for a comma, also where nothing else is there as often in each of the first records.
    static func delimiter(of file: RecordFile, hasQuotes: Bool) throws -> UInt8? {
        var best = (byte: UInt8?.none, count: try count(comma, in: file, hasQuotes))
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
            let count = try count(other, in: file, hasQuotes)
            if count > best.count { best = (other, count) }
        }
        return best.byte
    }

    /// The number of times that each of the first records has the byte; 0 if they differ.
    private static func count(_ byte: UInt8, in file: RecordFile, _ hasQuotes: Bool) throws -> Int {
        let reader = CSVReader(try file.input(), CSVDialect(delimiter: byte, hasQuotes: hasQuotes))
        var fields: [CSVReader.Field] = []
        var (counts, number) = (Set<Int>(), 0)
        while number < firstRecords, try reader.next(&fields) != nil {
            if !fields.allSatisfy(\.isMissing) {
                counts.insert(fields.count - 1)
                number += 1
            }
            fields.removeAll(keepingCapacity: true)
        }
        return counts.count == 1 ? counts.first ?? 0 : 0
    }

    /// The delimiter that the first line of a file declares, as spreadsheets write it: `sep=;`.
    static func declaredDelimiter(of file: RecordFile) throws -> UInt8? {
        let reader = CSVReader(try file.input(), CSVDialect(delimiter: 0, hasQuotes: false))
        var fields: [CSVReader.Field] = []
        return try reader.next(&fields).flatMap { declaredDelimiter(of: reader.bytes(of: $0)) }
    }

    /// The delimiter that a line declares; nil for any other line.
    static func declaredDelimiter(of line: UnsafeRawBufferPointer) -> UInt8? {
        let text = line.filter { $0 != 0x0A && $0 != 0x0D }
        guard text.count == 5, String(decoding: text.prefix(4), as: UTF8.self).lowercased() == "sep=" else {
            return nil
        }
        return text[4]
    }

    /// Returns whether fields of tab-separated values are enclosed in marks, as spreadsheets and exports write them: some are,
    /// and no other field has a mark. By its definition the format has no such fields.
    static func hasQuotes(_ file: RecordFile, delimiter: UInt8) throws -> Bool {
        let reader = CSVReader(try file.input(), CSVDialect(delimiter: delimiter))
        var fields: [CSVReader.Field] = []
        var isQuoted = false
        while let record = try reader.next(&fields) {
            guard record.isWellFormed else { return false }
            for field in fields {
                if field.isQuoted { isQuoted = true } else if reader.bytes(of: field).contains(mark) { return false }
            }
            fields.removeAll(keepingCapacity: true)
        }
        return isQuoted
    }
}
