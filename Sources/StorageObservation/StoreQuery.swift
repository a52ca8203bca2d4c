// The project's checks compile this file against a stub of SwiftUI (scripts/check-swiftui); they do not run it.
#if canImport(SwiftUI)
public import StorageAPI
import StorageDriver
public import SwiftUI

/// The records of a query of the environment's store, kept up to date.
///
/// ```
/// struct NoteList: View {
///     @StoreQuery(\Note.title, where: { $0.isDone == false }) var notes
///     var body: some View { List(notes, id: \.id) { Text($0.title) } }
/// }
/// ```
///
/// `$notes` is the ``LiveQuery``, with its state and pages. A view above gives the store by `store(_:)` or ``StoreReader``.
/// A view that makes its query from its own properties, as in `_notes = StoreQuery(where: { $0.title.contains(search) })`,
/// shows another query when they change.
@MainActor @propertyWrapper
public struct StoreQuery<Model: Storable>: DynamicProperty {
    @Environment(\.store) private var store
    @State private var holder = Holder()
    private let query: @MainActor (Store) -> Select<Model, Store>
    private let pageSize: Int?

    /// A query of the environment's store.
    ///
    /// - Parameters:
    ///   - pageSize: the number of records that are loaded at first, and by each `$notes.loadMore()`; nil to load all.
    ///   - query: makes the query. It is called whenever the view is updated.
    public init(pageSize: Int? = nil, _ query: @escaping @MainActor (Store) -> Select<Model, Store>) {
        self.query = query
        self.pageSize = pageSize
    }

    /// All records of a model in the order of properties, and then of the key.
    public init(_ order: PartialKeyPath<Model>..., descending isDescending: Bool = false, pageSize: Int? = nil) {
        self.init(pageSize: pageSize) { store in
            order.reduce(store.select(Model.self)) { $0.order(by: $1, descending: isDescending) }
        }
    }

    /// The records of a model that meet a condition, in the order of properties, and then of the key.
    public init(
        _ order: PartialKeyPath<Model>..., descending isDescending: Bool = false, pageSize: Int? = nil,
        where condition: @escaping @MainActor (Model.Columns) -> QueryExpression<Bool>
    ) {
        self.init(pageSize: pageSize) { store in
            order.reduce(store.select(Model.self).where { condition($0) }) {
                $0.order(by: $1, descending: isDescending)
            }
        }
    }

    /// The records.
    public var wrappedValue: [Model] { projectedValue.records }

    /// The live query.
    public var projectedValue: LiveQuery<Model> { holder.live ?? holder.live(in: store, pageSize, query) }

    /// Compares the query with the one that is shown.
    public nonisolated func update() {
        // SwiftUI calls it on the main actor, which its protocol does not say.
        MainActor.assumeIsolated { _ = holder.live(in: store, pageSize, query) }
    }

    /// Keeps the live query while the view is recreated.
    @MainActor private final class Holder {
        private(set) var live: LiveQuery<Model>?
        private weak var store: Store?

        nonisolated init() {}

        /// The live query, which shows the present query of the present store.
        func live(
            in store: Store?, _ pageSize: Int?, _ query: (Store) -> Select<Model, Store>
        ) -> LiveQuery<Model> {
            if let live, store === self.store {
                if let store { live.show(query(store)) }
                return live
            }
            let new = store.map { LiveQuery(query($0), pageSize: pageSize) }
            let live = new ?? LiveQuery(pageSize: pageSize, Self.noStore)
            (self.live, self.store) = (live, store)
            return live
        }

        private static var noStore: StorageError {
            StorageError(
                .configuration,
                "The view's environment has no store. Give a view above it .store(store), or put it into a StoreReader."
            )
        }
    }
}

private struct StoreKey: EnvironmentKey {
    static var defaultValue: Store? { nil }
}

extension EnvironmentValues {
    /// The store that ``StoreQuery`` reads.
    public var store: Store? {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
}

extension View {
    /// Gives a store to the views below.
    public func store(_ store: Store) -> some View { environment(\.store, store) }
}

/// Opens a store when it appears, and shows a view with the store in its environment.
///
/// ```
/// #Preview {
///     StoreReader {
///         let store = try await Store(InMemoryBackend(), models: Note.self)
///         try await store.save(Note(id: 1, title: "Milk"))
///         return store
///     } content: {
///         NoteList()
///     }
/// }
/// ```
public struct StoreReader<Content: View>: View {
    @State private var store: Store?
    @State private var problem: String?
    private let open: @Sendable () async throws -> Store
    private let content: Content

    /// - Parameters:
    ///   - open: opens the store, and fills it where it is one for a preview.
    ///   - content: the view that has the store in its environment.
    public init(open: @escaping @Sendable () async throws -> Store, @ViewBuilder content: () -> Content) {
        self.open = open
        self.content = content()
    }

    public var body: some View {
        if let store {
            content.store(store)
        } else if let problem {
            Text(problem)
        } else {
            ProgressView().task {
                do { store = try await open() } catch { problem = "\(error)" }
            }
        }
    }
}
#endif
