/// Some records of delimited values, and where their fields are.
package struct CSVBatch {
    package private(set) var records: [CSVReader.Record] = []
    private var fields: [CSVReader.Field] = []
    /// The number of fields before each record.
    private var starts: [Int] = []

    package init() {}

    /// The fields of the record at a place.
    package func fields(at place: Int) -> ArraySlice<CSVReader.Field> {
        fields[starts[place]..<(place + 1 < starts.count ? starts[place + 1] : fields.count)]
    }

    /// Returns whether the record at a place has a number of fields, each of which ends as it should.
    package func isWhole(at place: Int, width: Int) -> Bool {
        records[place].isWellFormed && fields(at: place).count == width
    }

    /// Takes the next records, all of which are buffered; false if none exist.
    package mutating func fill(from source: inout CSVSource, _ most: Int) throws -> Bool {
        records.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        while records.count < most {
            let start = fields.count
            guard let record = try source.next(&fields, staysInChunk: !records.isEmpty) else { break }
            records.append(record)
            starts.append(start)
        }
        return !records.isEmpty
    }
}
