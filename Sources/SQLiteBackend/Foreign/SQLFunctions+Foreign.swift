internal import CSQLite
internal import StorageDriver

extension SQLFunctions {
    /// The functions that ``ColumnConversion`` names.
    static let foreign: [(name: String, arguments: Int32, body: Scalar)] = [
        ("storage_read_date", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.readDate) }),
        ("storage_read_uuid", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.readUUID) }),
        ("storage_read_decimal", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.readDecimal) }),
        ("storage_read_text", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.readText) }),
        ("storage_write_date", 2, { SQLCall($0, count: $1, values: $2).run(SQLCall.writeDate) }),
        ("storage_write_uuid", 2, { SQLCall($0, count: $1, values: $2).run(SQLCall.writeUUID) }),
        ("storage_write_decimal", 2, { SQLCall($0, count: $1, values: $2).run(SQLCall.writeDecimal) }),
        ("storage_write_text", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.writeText) }),
    ]
}

extension SQLCall {
    fileprivate func readDate() throws(StorageError) -> Value { ForeignValue.readDate(self[0]) }
    fileprivate func readUUID() throws(StorageError) -> Value { ForeignValue.readUUID(self[0]) }
    fileprivate func readDecimal() throws(StorageError) -> Value { ForeignValue.readDecimal(self[0]) }
    fileprivate func readText() throws(StorageError) -> Value { ForeignValue.readText(self[0]) }
    fileprivate func writeDate() throws(StorageError) -> Value { try ForeignValue.writeDate(self[0], like: self[1]) }
    fileprivate func writeUUID() throws(StorageError) -> Value { ForeignValue.writeUUID(self[0], like: self[1]) }
    fileprivate func writeDecimal() throws(StorageError) -> Value {
        try ForeignValue.writeDecimal(self[0], isReal: self[1] == .int(1))
    }
    fileprivate func writeText() throws(StorageError) -> Value { try ForeignValue.writeText(self[0]) }
}
