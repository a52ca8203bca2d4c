import Foundation
import StorageKit

@Storable struct Town: Equatable {
    var id: Int
    @Field(path: "cityName") var name: String
}

@Storable struct Quill: Equatable {
    @Field(path: "colour.name") var color: String
    var price = 1.5
}

@Storable struct Writer: Equatable {
    enum Rank: String { case junior, senior }

    var id: Int
    var name: String
    @Field(path: "info.age") var age = 18
    var nickname: String?
    var motto: String? = "none"
    var rank: Rank = .junior
    @Field(dates: .pattern("dd.MM.yyyy HH:mm")) var born: Date?
    @Field(path: "info.height", lenient: true) var height = 0.0
    @Field(convert: { .text($0.description.filter { $0 != "\"" }.uppercased()) }) var code: String?
    var tags: [String] = []
    var town: Town?
    var quills: [Quill] = []
    @Reference(onDelete: .unchecked) var editor: Ref<Writer>?
    @Reference(onDelete: .unchecked) var friends: [Ref<Writer>] = []
}

@Storable struct Line: Equatable {
    var id: Int?
    var text: String
    var children: [Line] = []
}

extension String {
    var data: Data { Data(utf8) }
}
