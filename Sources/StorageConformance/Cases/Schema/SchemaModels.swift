internal import Foundation
internal import StorageAPI
internal import StorageDriver

/// A model whose keys the store assigns, in versions.
struct Counted<S: Shape>: Storable {
    var id: Int?
    var value: S.Value

    typealias Key = Int

    static var schema: ModelSchema { ModelSchema("Counted", [Property("id", Int?.self, .key), S.property]) }

    init(value: S.Value) { self.value = value }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        value = try row.read(S.Value.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(value)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    mutating func assign(_ key: Int) { id = key }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// A model whose keys are assigned, with required properties of many types.
struct Ledger<S: Shape>: Storable {
    var id: Int?
    var code: String
    var price = Decimal(1)
    var token = UUID()
    var numbers = [1]
    var bytes = Data([1])
    var place = URL(filePath: "/")
    var span = Duration.seconds(1)
    var options = Options()
    var value: S.Value

    struct Options: Codable, Sendable { var isOpen = true }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Ledger",
            [
                Property("id", Int?.self, .key), Property("code", String.self, .unique),
                Property("price", Decimal.self), Property("token", UUID.self), Property("numbers", [Int].self),
                Property("bytes", Data.self), Property("place", URL.self), Property("span", Duration.self),
                Property("options", Options.self), S.property,
            ])
    }

    init(code: String, value: S.Value) { (self.code, self.value) = (code, value) }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        code = try row.read(String.self)
        price = try row.read(Decimal.self)
        token = try row.read(UUID.self)
        numbers = try row.read([Int].self)
        bytes = try row.read(Data.self)
        place = try row.read(URL.self)
        span = try row.read(Duration.self)
        options = try row.read(Options.self)
        value = try row.read(S.Value.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(code)
        row.write(price)
        row.write(token)
        row.write(numbers)
        row.write(bytes)
        row.write(place)
        row.write(span)
        row.write(options)
        row.write(value)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    mutating func assign(_ key: Int) { id = key }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}
