internal import Foundation
internal import StorageAPI

// Versions of the model Item, one a type: what a program declared earlier, and later.

enum AsInt: Shape { typealias Value = Int }
enum AsText: Shape { typealias Value = String }

typealias IntItem = Item<AsInt>
typealias TextItem = Item<AsText>
