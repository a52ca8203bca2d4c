import StorageDriver
import Synchronization

/// The models of a program whose types mark properties with `@Created` or `@Modified`.
///
/// The marks are the program's: the store does not record them.
package final class StampedModels: Sendable {
    /// The stored names of the marked properties of a model.
    package struct Stamps: Sendable {
        package var created: String?
        package var modified: String?
    }

    private let models = Mutex<[StoredName: Stamps]>([:])
    private let isMarked = Atomic(false)

    /// True if some model has marked properties. Every write asks, so it takes no lock.
    package var isUsed: Bool { isMarked.load(ordering: .acquiring) }

    package func stamps(of model: StoredName) -> Stamps? { models.withLock { $0[model] } }

    /// Adds a declared model if it has marked properties.
    func add(_ model: DeclaredModel) {
        func property(_ trait: Property.Traits) -> String? {
            model.properties.first { $0.traits.contains(trait) }?.storedName.text
        }
        let stamps = Stamps(created: property(.created), modified: property(.modified))
        guard stamps.created != nil || stamps.modified != nil else { return }
        models.withLock { $0[model.name] = stamps }
        isMarked.store(true, ordering: .releasing)
    }
}
