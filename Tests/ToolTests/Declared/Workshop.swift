import Foundation
import StorageKit

@Storable("work bench")
struct WorkBench {
    @Key var room: Int
    @Key var name: String
    @Unique var `class`: String
    @Field("2nd \"name\"") var _2ndName: [[Decimal]]?
    @Indexed var until: Date?
    var top: Top?
    var drawers: [Drawer]?
}

@Storable
struct Top {
    var wood: UUID
}

@Storable
struct Drawer {
    var label: URL
    var sizes: Vector?
    var inner: [Drawer]
}

@Storable("Hand Tool")
struct HandTool {
    var id: Int?
    var wear: Duration
    @Indexed var size: Int16
}

@Storable
struct Lamp {
    var id: UUID
    @Reference(onDelete: .cascade) var bench: Ref<WorkBench>
    @Reference(onDelete: .nullify) var spare: Ref<HandTool>?
    @Reference(onDelete: .unchecked) var tools: [Ref<HandTool>]
}
