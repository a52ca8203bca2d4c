import Foundation
import StorageKit

enum Mood: String, Codable { case calm, cross }

struct Place: Codable, Hashable {
    var x: Int
    var label: String
}

@Storable struct Everything: Equatable {
    var id: Int
    var flag: Bool = false
    var small: Int8 = 0
    var big: UInt64 = 0
    var float: Float = 0
    var double: Double = 0
    var text: String = ""
    var data: Data = Data()
    var date: Date = Date(timeIntervalSinceReferenceDate: 0)
    var uuid: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var url: URL = URL(filePath: "/")
    var decimal: Decimal = 0
    var mood: Mood = Mood.calm
    var place: Place = Place(x: 0, label: "")
    var note: String? = nil
    var count: Int? = nil
    var tags: [String] = []
    var numbers: [Int?] = []
    var bits: [Bool] = []
    var reals: [Double] = []
    var grid: [[String]] = []
    var blobs: [Data] = []
    var dates: [Date] = []
    var uuids: [UUID] = []
    var prices: [Decimal] = []
}

@Storable struct Pencil: Equatable {
    var id: Int
    var color: String = ""
    var parts: [Part] = []
}

@Storable struct Part: Equatable {
    var id: Int
    var name: String = ""
}

@Storable struct Desk: Equatable {
    var id: Int
    var best: Pencil = Pencil(id: 1)
    var spare: Pencil? = nil
    var pencils: [Pencil] = []
    var drawer: [Pencil]? = nil
}

@Storable struct Branch: Equatable {
    var id: Int
    var name: String = ""
    var branches: [Branch] = []
    var fallen: [Branch]? = nil
    var leaves: [Leaf] = []
}

@Storable struct Leaf: Equatable {
    var id: Int
    var nest: [Branch] = []
    var name: String = ""
}

@Storable("Person") struct Reader: Equatable {
    var id: Int
    var name: String = ""
    var age: Int = 0
    var height: Double = 0
    var photo: Data = Data()
    var tags: [String] = []
    var born: Date? = nil
    @Field("$odd") var odd: Int = 0
}
