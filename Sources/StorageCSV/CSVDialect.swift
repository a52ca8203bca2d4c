package import StorageJSON

/// The form of delimited values: the byte between two fields, and the meaning of quotation marks.
package struct CSVDialect: Sendable {
    package var delimiter: UInt8
    /// True if a quotation mark at the beginning of a field encloses it.
    package var hasQuotes: Bool

    package static let mark = UInt8(ascii: "\"")
    package static let comma = UInt8(ascii: ",")

    package init(delimiter: UInt8 = Self.comma, hasQuotes: Bool = true) {
        (self.delimiter, self.hasQuotes) = (delimiter, hasQuotes)
    }
}

extension CSVDialect {
    private static let firstRecords = 10

    /// Finds the delimiter of comma-separated values.
    ///
    /// - Parameter input: opens the text at its beginning.
    /// - Returns: nil for a comma, also if no other delimiter is as frequent in each of the first records.
    package static func delimiter(of input: () throws -> InputBuffer, hasQuotes: Bool) throws -> UInt8? {
        var best = (byte: UInt8?.none, count: try count(comma, in: input, hasQuotes))
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
            let count = try count(other, in: input, hasQuotes)
            if count > best.count { best = (other, count) }
        }
        return best.byte
    }

    /// The number of times that each of the first records has the byte; 0 if they differ.
    private static func count(_ byte: UInt8, in input: () throws -> InputBuffer, _ hasQuotes: Bool) throws -> Int {
        let reader = CSVReader(try input(), CSVDialect(delimiter: byte, hasQuotes: hasQuotes))
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
    package static func declaredDelimiter(of input: () throws -> InputBuffer) throws -> UInt8? {
        let reader = CSVReader(try input(), CSVDialect(delimiter: 0, hasQuotes: false))
        var fields: [CSVReader.Field] = []
        return try reader.next(&fields).flatMap { declaredDelimiter(of: reader.bytes(of: $0)) }
    }

    /// The delimiter that a line declares; nil for any other line.
    package static func declaredDelimiter(of line: UnsafeRawBufferPointer) -> UInt8? {
        let text = line.filter { $0 != 0x0A && $0 != 0x0D }
        guard text.count == 5, String(decoding: text.prefix(4), as: UTF8.self).lowercased() == "sep=" else {
            return nil
        }
        return text[4]
    }

    /// Returns whether fields of tab-separated values are enclosed in marks, as spreadsheets and exports write them: some are,
    /// and no other field has a mark. By its definition the format has no such fields.
    package static func hasQuotes(_ input: () throws -> InputBuffer, delimiter: UInt8) throws -> Bool {
        let reader = CSVReader(try input(), CSVDialect(delimiter: delimiter))
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
