public import StorageAPI
import StorageDriver

extension Store {
    /// Options for reading comma-separated values and for storing their records.
    public struct CSVOptions<Model: Storable> {
        /// The separator of values, one ASCII character; nil for that of the first line (`sep=;`) or the first
        /// ten records show: a comma, a semicolon, a tab or a vertical bar.
        public var delimiter: Character?
        /// A Boolean value that indicates whether a quotation mark at the beginning of a field encloses it. Otherwise marks are
        /// characters, as in tab-separated values.
        public var hasQuotes: Bool
        /// The encoding of the text; nil for UTF-16 if the first bytes show it, otherwise UTF-8.
        public var encoding: TextEncoding?
        /// The properties of columns whose names in the header are not the properties' stored names.
        public var columns: [String: PartialKeyPath<Model>]
        /// The form of dates where the property does not declare one; nil for ISO 8601.
        public var dates: Property.DateForm?
        /// The properties by which a stored record is found in place of the key, which it keeps; several match together. A
        /// record that none of them finds is inserted. None of them is the key, as for `save(_:matching:_:)`.
        public var matching: [PartialKeyPath<Model>]
        /// The number of records that each transaction stores; nil for one transaction of all records, or none. So many records
        /// are in memory at a time. A call inside of a transaction belongs to that and does not look at this number.
        public var recordsPerTransaction: Int?
        /// Called with each record that cannot be read or stored, which is left out; nil if such a record ends the call. It is
        /// called while the transaction runs.
        public var skipping: (@Sendable (CSVProblem) -> Void)?

        /// Options; by default the file shows its delimiter, its columns have the properties' stored names, records of the same
        /// keys are replaced, and the first bad record ends the call.
        public init(
            delimiter: Character? = nil, hasQuotes: Bool = true, encoding: TextEncoding? = nil,
            columns: [String: PartialKeyPath<Model>] = [:], dates: Property.DateForm? = nil,
            matching: [PartialKeyPath<Model>] = [], recordsPerTransaction: Int? = nil,
            skipping: (@Sendable (CSVProblem) -> Void)? = nil
        ) {
            (self.delimiter, self.hasQuotes, self.encoding) = (delimiter, hasQuotes, encoding)
            (self.columns, self.dates, self.matching) = (columns, dates, matching)
            (self.recordsPerTransaction, self.skipping) = (recordsPerTransaction, skipping)
        }
    }

    /// A record of comma-separated values that cannot be read or stored. It is the `underlying` error of a `StorageError` that
    /// such a record causes.
    public struct CSVProblem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line on which the record begins, from 1.
        public let line: Int
        /// The reason, in a sentence.
        public let message: String
        /// The property that has no value for its field; nil if the record as a whole is at fault.
        public let property: String?
        /// The record as it is in the file; bytes that are no text are replaced.
        public let text: String

        public var description: String { "line \(line): \(message)" }
    }
}

/// Options that can be passed to a transaction.
struct CSVForm: Sendable {
    let delimiter: UInt8?
    let hasQuotes: Bool
    let encoding: Store.TextEncoding?
    /// The stored names of properties, by the names of their columns.
    let columns: [StoredName: StoredName]
    let dates: Property.DateForm?
    /// The properties by which stored records are found; none for the key.
    let matched: [Int]
    let recordsPerTransaction: Int?
    let skipping: (@Sendable (Store.CSVProblem) -> Void)?

    init<M: Storable>(_ options: Store.CSVOptions<M>) throws(StorageError) {
        let model = M.schema.name
        delimiter = try options.delimiter.map { (character) throws(StorageError) in
            try CSVDialect.byte(character, model: model)
        }
        (hasQuotes, encoding, dates) = (options.hasQuotes, options.encoding, options.dates)
        matched = try M.ordinals(of: options.matching)
        var columns: [StoredName: StoredName] = [:]
        for (name, path) in options.columns {
            for place in try M.ordinals(of: [path]) {
                columns[StoredName(name)] = StoredName(M.schema.properties[place].storedName)
            }
        }
        self.columns = columns
        if let count = options.recordsPerTransaction, count < 1 {
            throw StorageError(.configuration, "recordsPerTransaction is \(count); it is at least 1.", model: model)
        }
        (recordsPerTransaction, skipping) = (options.recordsPerTransaction, options.skipping)
    }
}

extension CSVDialect {
    /// The byte of a delimiter.
    static func byte(_ delimiter: Character, model: String) throws(StorageError) -> UInt8 {
        // The two characters of a line end are one here, and have the value of the second.
        guard delimiter != "\r\n", let byte = delimiter.asciiValue else { throw noDelimiter.at(model: model) }
        do throws(StorageError) { return try checked(byte) } catch { throw error.at(model: model) }
    }

    /// - Throws: `configuration` for a byte that stands in the text of a character, for a quotation mark, and for a line end.
    static func checked(_ delimiter: UInt8) throws(StorageError) -> UInt8 {
        guard delimiter < 0x80, ![mark, 0x0A, 0x0D].contains(delimiter) else { throw noDelimiter }
        return delimiter
    }

    private static var noDelimiter: StorageError {
        StorageError(.configuration, "A delimiter is one ASCII character, and no quotation mark or line end.")
    }
}
