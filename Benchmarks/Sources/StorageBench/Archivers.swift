import Foundation

/// One of Foundation's coders with a file: writes all records at once and reads them all. It has no other way to one.
final class Archiver: Contestant {
    enum Format: String, CaseIterable {
        case keyed = "NSKeyedArchiver"
        case propertyList = "PropertyListEncoder"
        case json = "JSONEncoder"
    }

    let works: Set<Work> = [.insert, .fetch]
    private let format: Format
    private let sample: Sample
    private let file: URL
    private var records: [Record] = []

    init(_ format: Format, _ folder: URL, _ sample: Sample) {
        self.format = format
        self.sample = sample
        file = folder.appendingPathComponent(format.rawValue)
    }

    var name: String { format.rawValue }

    func clear(_ table: Table) throws { try? FileManager.default.removeItem(at: file) }

    func insertItems() throws { throw BenchmarkError("\(name) keeps records alone") }

    func make(_ work: Work, round: Int) { records = Changed(work, sample, round).records }

    func run(_ work: Work) throws -> Outcome {
        switch work {
        case .insert:
            try encode().write(to: file, options: .atomic)
            return .written
        case .fetch: return .models(try decode(Data(contentsOf: file)))
        default: throw BenchmarkError("\(name) has no \(work.rawValue)")
        }
    }

    private func encode() throws -> Data {
        switch format {
        case .keyed:
            let objects = records.map(CodedRecord.init) as NSArray
            return try NSKeyedArchiver.archivedData(withRootObject: objects, requiringSecureCoding: true)
        case .propertyList:
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode(records)
        case .json: return try JSONEncoder().encode(records)
        }
    }

    private func decode(_ data: Data) throws -> [Record] {
        switch format {
        case .keyed:
            let classes: [AnyClass] = [NSArray.self, CodedRecord.self]
            let objects = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? [CodedRecord]
            return objects?.map(\.record) ?? []
        case .propertyList: return try PropertyListDecoder().decode([Record].self, from: data)
        case .json: return try JSONDecoder().decode([Record].self, from: data)
        }
    }
}

/// The record as Foundation's archiver takes it, which on Linux takes objects alone.
final class CodedRecord: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let record: Record

    init(_ record: Record) { self.record = record }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name"),
            let tags = coder.decodeObject(of: NSString.self, forKey: "tags")
        else { return nil }
        record = Record(
            id: coder.decodeInteger(forKey: "id"), name: name as String, age: coder.decodeInteger(forKey: "age"),
            height: coder.decodeDouble(forKey: "height"),
            photo: coder.decodeObject(of: NSData.self, forKey: "photo") as Data?, tags: tags as String)
    }

    func encode(with coder: NSCoder) {
        coder.encode(record.id, forKey: "id")
        coder.encode(record.name as NSString, forKey: "name")
        coder.encode(record.age, forKey: "age")
        coder.encode(record.height, forKey: "height")
        coder.encode(record.photo as NSData?, forKey: "photo")
        coder.encode(record.tags as NSString, forKey: "tags")
    }
}
