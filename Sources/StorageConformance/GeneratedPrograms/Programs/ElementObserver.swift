internal import StorageAPI
internal import Synchronization

/// Takes the elements of an observed query as they come, beside the program that writes: no two in a row are equal
/// (clause O5).
final class ElementObserver: ProgramObserver {
    private let name: String
    private let repeated = RepeatedElement()
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - name: the query as Swift.
    ///   - text: shows an element, so that equal ones have the same text.
    init<Element>(
        _ name: String, _ values: Store.Values<Element>, _ text: @escaping @Sendable (Element) -> String
    ) {
        self.name = name
        task = Task { [repeated] in
            var before: String?
            // A query that fails by now has no further element.
            do {
                for try await element in values {
                    let text = text(element)
                    if text == before { repeated.set(text) }
                    before = text
                }
            } catch {}
        }
    }

    deinit { task.cancel() }

    func check() async throws -> ObserverState {
        guard let text = repeated.text else { return .right }
        return .wrong("The observer of \(name) is given this twice: \(text)")
    }

    func hasEnded() async throws -> Bool {
        await task.value
        return true
    }
}

/// An element that was given twice in a row, if there was one.
private final class RepeatedElement: Sendable {
    private let element = Mutex<String?>(nil)

    var text: String? { element.withLock { $0 } }

    func set(_ text: String) { element.withLock { $0 = $0 ?? text } }
}

extension ElementObserver {
    /// Observers of queries that load related records with limits, and that others place.
    static func linked(_ store: Store) -> [ElementObserver] {
        let knots = store.select(Knot.self)
        return [
            ElementObserver(
                "Knot.with(\\.children) { … limit(1) }",
                knots.with(\.children) { $0.order { $0.size.descending }.limit(1) }.values()
            ) { $0.map { $0.0.swift + $0.1.map(\.swift).joined() }.joined(separator: ", ") },
            ElementObserver(
                "Knot.with(\\.meshes) { … limit(1) }", knots.with(\.meshes) { $0.limit(1) }.values()
            ) { $0.map { $0.0.swift + $0.1.map(\.swift).joined() }.joined(separator: ", ") },
            ElementObserver(
                "Mesh.with(\\.peering) { … offset(1) }",
                store.select(Mesh.self).with(\.peering) { $0.where { $0.size > 1 }.offset(1).limit(2) }.values()
            ) { $0.map { $0.0.swift + $0.1.map(\.swift).joined() }.joined(separator: ", ") },
            ElementObserver("Knot.order { $0.children.count }", knots.order { $0.children.count }.values()) {
                $0.map(\.swift).joined(separator: ", ")
            },
        ]
    }
}
