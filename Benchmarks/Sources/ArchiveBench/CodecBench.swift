import ArchiveBackend
import Foundation
import KeyedArchives
import StorageAPI

/// Keyed archives by themselves, beside Foundation's coders of the same records.
struct CodecBench {
    private let records: [Sample]
    /// Lists of 10,000: what a call costs by itself, to lay out the model, does not show.
    private let lists: [[Sample]]

    init(_ records: [Sample]) {
        self.records = Array(records.prefix(30_000))
        lists = stride(from: 0, to: self.records.count, by: 10_000).map { start in
            Array(records[start..<min(start + 10_000, records.count)])
        }
    }

    func run() throws {
        try beside("JSONEncoder", "JSONDecoder")
        try besideNSKeyedArchiver()
    }

    private func beside(_ encoderName: String, _ decoderName: String) throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        let archives = try lists.map { try KeyedArchive.encode($0) }
        let texts = try lists.map { try encoder.encode($0) }
        guard try KeyedArchive.decode([Sample].self, from: archives[0]) == lists[0] else {
            return print("an archive holds something else")
        }
        let encoding = try medians(5) {
            for list in lists { consume(try KeyedArchive.encode(list)) }
        } _: {
            for list in lists { consume(try encoder.encode(list)) }
        }
        report("encode, \(encoderName)'s time to ours", encoding.1 / encoding.0, ">= 5", rate(encoding))
        let decoding = try medians(5) {
            for archive in archives { consume(try KeyedArchive.decode([Sample].self, from: archive)) }
        } _: {
            for text in texts { consume(try decoder.decode([Sample].self, from: text)) }
        }
        report("decode, \(decoderName)'s time to ours", decoding.1 / decoding.0, ">= 6", rate(decoding))
    }

    private func rate(_ times: (Double, Double)) -> String {
        let count = Double(records.count)
        return String(format: "%.0f against %.0f records/s", count / times.0, count / times.1)
    }

    /// The length of a list in the comparison with JSON.
    private static let listed = 10_000

    private func besideNSKeyedArchiver() throws {
        let few = Array(records.prefix(Self.listed))
        let objects = few.map { CodedSample($0) } as NSArray
        let ours = try (0..<5).map { _ in try seconds { consume(try KeyedArchive.encode(few)) } }.sorted()[2]
        var data = Data()
        let theirs = try seconds {
            data = try NSKeyedArchiver.archivedData(withRootObject: objects, requiringSecureCoding: true)
        }
        let detail = { (ours: Double, theirs: Double) in
            let count = Double(few.count)
            return String(
                format: "%.0f against %.0f records/s, %d in a list", count / ours, count / theirs, few.count)
        }
        report("encode, NSKeyedArchiver's time to ours", theirs / ours, ">= 500", detail(ours, theirs))
        let archive = try KeyedArchive.encode(few)
        let decoding = try medians(3) {
            consume(try KeyedArchive.decode([Sample].self, from: archive))
        } _: {
            consume(try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, CodedSample.self], from: data))
        }
        report(
            "decode, NSKeyedUnarchiver's time to ours", decoding.1 / decoding.0, ">= 40",
            detail(decoding.0, decoding.1))
    }
}

/// The record as Foundation's archiver takes it.
final class CodedSample: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let id: Int
    let name: String
    let age: Int
    let height: Double
    let photo: Data
    let tags: [String]

    init(_ sample: Sample) {
        (id, name, age) = (sample.id, sample.name, sample.age)
        (height, photo, tags) = (sample.height, sample.photo, sample.tags)
    }

    init?(coder: NSCoder) {
        id = coder.decodeInteger(forKey: "id")
        name = coder.decodeObject(of: NSString.self, forKey: "name").map { "\($0)" } ?? ""
        age = coder.decodeInteger(forKey: "age")
        height = coder.decodeDouble(forKey: "height")
        photo = coder.decodeObject(of: NSData.self, forKey: "photo").map { Data(referencing: $0) } ?? Data()
        let stored = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [Any] ?? []
        tags = stored.map { "\($0)" }
    }

    func encode(with coder: NSCoder) {
        coder.encode(id, forKey: "id")
        coder.encode(NSString(string: name), forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(height, forKey: "height")
        coder.encode(NSData(data: photo), forKey: "photo")
        coder.encode(NSArray(array: tags.map { NSString(string: $0) }), forKey: "tags")
    }
}
