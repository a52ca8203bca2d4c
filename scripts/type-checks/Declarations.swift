import StorageKit

// Each is one error, and no other: scripts/check-queries counts them.
@Storable enum Plain { case red }
@Storable enum Raw: String { case red }
@Storable enum Empty {}
@Storable indirect enum Tree: Codable { case leaf, node(Tree) }
@Storable actor Counter { var id = 1 }
@Storable protocol Named { var id: Int { get } }
@Storable final class Shared { var id = 1 }
