public import Foundation
public import StorageAPI

/// The models of generated programs. They are public so that a printed program can be pasted and run.
public enum Generated {
    /// One property of every kind of scalar and array, with an index on most scalars; the store assigns the key where it is nil.
    public struct Gadget: PlainRecord, Sendable {
        public var id: Int?
        public var flag: Bool = false
        public var small: Int8 = 0
        public var wide: Int64 = 0
        public var unsigned: UInt64 = 0
        public var real: Double = 0
        public var single: Float = 0
        public var text: String = ""
        public var note: String?
        public var code: String?
        public var number: Int?
        public var ratio: Double?
        public var data: Data = Data()
        public var date: Date = Date(timeIntervalSinceReferenceDate: 0)
        public var uuid: UUID?
        public var amount: Decimal = 0
        public var link: URL?
        public var wait: Duration = .zero
        public var spot: Vector = []
        public var words: [String] = []
        public var reals: [Double] = []
        public var nested: [[Int?]] = []

        public init() {}
    }
}

extension Generated.Gadget: Storable {
    public typealias Key = Int

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedGadget",
            [
                Property("id", (Int?).self, .key),
                Property("flag", Bool.self, .indexed),
                Property("small", Int8.self),
                Property("wide", Int64.self, .indexed),
                Property("unsigned", UInt64.self, .indexed),
                Property("real", Double.self, .indexed),
                Property("single", Float.self, .indexed),
                Property("text", String.self, .indexed).searchable(weight: 2),
                Property("note", (String?).self).searchable(),
                Property("code", (String?).self, .unique),
                Property("number", (Int?).self),
                Property("ratio", (Double?).self, .indexed),
                Property("data", Data.self, .indexed),
                Property("date", Date.self, .indexed),
                Property("uuid", (UUID?).self, .indexed),
                Property("amount", Decimal.self, .indexed),
                Property("link", (URL?).self, .indexed),
                Property("wait", Duration.self, .indexed),
                Property("spot", Vector.self),
                Property("words", ([String]).self).searchable(),
                Property("reals", ([Double]).self),
                Property("nested", ([[Int?]]).self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read((Int?).self)
        flag = try row.read(Bool.self)
        small = try row.read(Int8.self)
        wide = try row.read(Int64.self)
        unsigned = try row.read(UInt64.self)
        real = try row.read(Double.self)
        single = try row.read(Float.self)
        text = try row.read(String.self)
        note = try row.read((String?).self)
        code = try row.read((String?).self)
        number = try row.read((Int?).self)
        ratio = try row.read((Double?).self)
        data = try row.read(Data.self)
        date = try row.read(Date.self)
        uuid = try row.read((UUID?).self)
        amount = try row.read(Decimal.self)
        link = try row.read((URL?).self)
        wait = try row.read(Duration.self)
        spot = try row.read(Vector.self)
        words = try row.read(([String]).self)
        reals = try row.read(([Double]).self)
        nested = try row.read(([[Int?]]).self)
    }

    public func write(into row: inout RowWriter) {
        row.write(id)
        row.write(flag)
        row.write(small)
        row.write(wide)
        row.write(unsigned)
        row.write(real)
        row.write(single)
        row.write(text)
        row.write(note)
        row.write(code)
        row.write(number)
        row.write(ratio)
        row.write(data)
        row.write(date)
        row.write(uuid)
        row.write(amount)
        row.write(link)
        row.write(wait)
        row.write(spot)
        row.write(words)
        row.write(reals)
        row.write(nested)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    public mutating func assign(_ key: Int) { id = key }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [
            \.id, \.flag, \.small, \.wide, \.unsigned, \.real, \.single, \.text, \.note, \.code, \.number, \.ratio,
            \.data, \.date, \.uuid, \.amount, \.link, \.wait, \.spot, \.words, \.reals, \.nested,
        ]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var id: QueryExpression<Int?> { QueryExpression(_propertyPath, 0) }
        public var flag: QueryExpression<Bool> { QueryExpression(_propertyPath, 1) }
        public var small: QueryExpression<Int8> { QueryExpression(_propertyPath, 2) }
        public var wide: QueryExpression<Int64> { QueryExpression(_propertyPath, 3) }
        public var unsigned: QueryExpression<UInt64> { QueryExpression(_propertyPath, 4) }
        public var real: QueryExpression<Double> { QueryExpression(_propertyPath, 5) }
        public var single: QueryExpression<Float> { QueryExpression(_propertyPath, 6) }
        public var text: QueryExpression<String> { QueryExpression(_propertyPath, 7) }
        public var note: QueryExpression<String?> { QueryExpression(_propertyPath, 8) }
        public var code: QueryExpression<String?> { QueryExpression(_propertyPath, 9) }
        public var number: QueryExpression<Int?> { QueryExpression(_propertyPath, 10) }
        public var ratio: QueryExpression<Double?> { QueryExpression(_propertyPath, 11) }
        public var data: QueryExpression<Data> { QueryExpression(_propertyPath, 12) }
        public var date: QueryExpression<Date> { QueryExpression(_propertyPath, 13) }
        public var uuid: QueryExpression<UUID?> { QueryExpression(_propertyPath, 14) }
        public var amount: QueryExpression<Decimal> { QueryExpression(_propertyPath, 15) }
        public var link: QueryExpression<URL?> { QueryExpression(_propertyPath, 16) }
        public var wait: QueryExpression<Duration> { QueryExpression(_propertyPath, 17) }
        public var spot: QueryExpression<Vector> { QueryExpression(_propertyPath, 18) }
        public var words: QueryExpression<[String]> { QueryExpression(_propertyPath, 19) }
        public var reals: QueryExpression<[Double]> { QueryExpression(_propertyPath, 20) }
        public var nested: QueryExpression<[[Int?]]> { QueryExpression(_propertyPath, 21) }
    }
}
