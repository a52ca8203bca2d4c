/// Makes a struct storable: writes its conformance to `Storable` from its stored properties.
///
/// ```swift
/// @Storable struct Person: Equatable {
///     var id: Int                 // the key
///     @Indexed var name: String
///     var age = 0
///     var photo: Data?
///     var city: City?             // an owned child
///     var pens: [Pen] = []        // owned children, in order
/// }
/// ```
///
/// Types come from annotations, from literals, or from a call of an initialiser such as `Date()`; any other property
/// needs an annotation. Computed, static and `@Ignored` properties are not stored. The struct must be at file scope or
/// inside another type. It must not be generic or have stored properties inside `#if`.
///
/// A property's column, as in `where { $0.name == "Ann" }`, is visible where the property is. That of a private property is
/// visible in its file if the property is of a type such as `Int` or `[String]?`; if the type is your own, make the property
/// `fileprivate` to use its column.
///
/// The key is the property called `id`, or those marked with ``Key()``. If the key is a single Optional integer or UUID
/// and is nil, the store assigns it when the model is inserted or saved.
/// A struct that only others own needs no key.
@attached(
    member, conformances: AlwaysKeyed,
    names: named(Key), named(schema), named(readProperties), named(write), named(writeKey), named(values),
    named(readKey), named(ordinal), named(assign), named(key), named(_keyWidth), named(Columns), named(ref)
)
@attached(extension, conformances: Storable, AlwaysKeyed, names: named(init))
public macro Storable() = #externalMacro(module: "StorageMacros", type: "StorableMacro")

/// Makes a struct storable under another name than its own.
///
/// Use it to keep the stored name when you rename the struct, or to open a table that other software created.
///
/// - Parameter name: a string literal; not empty and without NUL. Anything else is allowed, SQL words included.
@attached(
    member, conformances: AlwaysKeyed,
    names: named(Key), named(schema), named(readProperties), named(write), named(writeKey), named(values),
    named(readKey), named(ordinal), named(assign), named(key), named(_keyWidth), named(Columns), named(ref)
)
@attached(extension, conformances: Storable, AlwaysKeyed, names: named(init))
public macro Storable(_ name: String) = #externalMacro(module: "StorageMacros", type: "StorableMacro")

/// Marks the key of a `@Storable` struct that has no property called `id`, or another key than that.
///
/// Several marks make a composite key, in the order of the properties. A key is an integer, a `String`, a `UUID`, or an
/// enum of integers or strings.
@attached(peer)
public macro Key() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Indexes the property, so that filtering and sorting by it need not read every record.
///
/// Costs some time and space with each write.
@attached(peer)
public macro Indexed() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Refuses two records with equal values of the property. nil equals nothing here.
///
/// Writing an equal value throws `constraint`. A unique property is also indexed.
@attached(peer)
public macro Unique() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Marks the time from which a record is gone: a `Date`, or a `Date?` where nil is for ever.
///
/// ```
/// @Storable
/// struct Session {
///     var id: UUID
///     var user: Ref<User>
///     @Expires var until: Date
/// }
/// ```
///
/// A record whose time is not after that of a read is not there for it, whichever program reads. The next write of the
/// store deletes it with everything that it owns, as `delete` does, and `Store.removeExpired()` does so at once. A struct has one
/// such property, which is also indexed.
@attached(peer)
public macro Expires() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Marks a property that the store sets to the time when the record is inserted: a `Date` or a `Date?`.
///
/// ```
/// @Storable
/// struct Note {
///     var id: UUID
///     var text: String
///     @Created var created = Date()
///     @Modified var modified = Date()
/// }
/// ```
///
/// An insert sets a `Date` to the time of its transaction, by the store's clock, and a `Date?` only where it is nil. Every
/// other write leaves the stored time as it is, whatever the struct has. Verbs that return models return them with the time.
///
/// Copies and undone commits keep their times. The mark belongs to the program: another one that writes to the store sets
/// the property if its type has the mark too. A save then costs one lookup of the stored time for all records of the call.
@attached(peer)
public macro Created() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Marks a property that the store sets to the time of each write of the record: a `Date` or a `Date?`.
///
/// Writes of owned records count, and so do partial updates and delete rules. See ``Created()``.
@attached(peer)
public macro Modified() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Says under which name the property is stored, and where it is in JSON.
///
/// ```
/// @Field("full_name", renamedFrom: "name") var fullName: String
/// @Field(renamedFrom: "surname", "name") var lastName: String
/// @Field(path: "info.age", lenient: true) var age = 0
/// @Field(dates: .secondsSince1970) var born: Date?
/// @Field(convert: { if case .text(let text) = $0 { .text(text.lowercased()) } else { $0 } }) var email: String
/// ```
///
/// - Parameters:
///   - storedName: a string literal; not empty and without NUL. Without it the property is stored under its own name.
///   - renamedFrom: the stored names in older stores, the latest first: string literals. The data under such a name move to
///     the property, and stores without one open unchanged. Name all that a user's store may still have.
///   - path: the names of the members that lead to the property in JSON, with points between them. Without it the
///     property is the member of its stored name.
///   - dates: how its dates are written in JSON.
///   - lenient: whether a JSON text may be the number or the truth value that it spells, and the other way round.
///   - convert: makes the stored value out of the JSON value that stands there; an array or an object is its text.
@attached(peer)
public macro Field(
    _ storedName: String? = nil, renamedFrom: String..., path: String? = nil, dates: Property.DateForm? = nil,
    lenient: Bool = false, convert: (@Sendable (Value) throws -> Value)? = nil
) = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Says what happens to a reference when the record that it names is deleted.
///
/// ```
/// @Reference(onDelete: .cascade) var author: Ref<Person>
/// @Reference(onDelete: .nullify) var editor: Ref<Person>?
/// ```
///
/// Without this mark the delete is refused (`deny`). The rule is recorded in the store: a program that does not
/// declare the referring model obeys it too.
///
/// - Parameter onDelete: `.deny`, `.cascade`, `.nullify` for a reference that may be nil or an array, or `.unchecked`.
@attached(peer)
public macro Reference(onDelete: DeleteRule) = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Excludes a property of a `@Storable` struct from the store. A loaded model has the property's default value.
@attached(peer)
public macro Ignored() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Marks a text that full-text searches find: a `String`, a `String?`, a `[String]` or a `[String]?`, in a record or in what it
/// owns.
///
/// ```
/// @Storable
/// struct Note {
///     var id: UUID
///     @Searchable(weight: 2) var title: String
///     @Searchable var body: String
/// }
/// let notes = try await store.select(Note.self).where { $0.matches("storage engine") }
///     .order { $0.relevance.descending }.limit(20).all()
/// ```
///
/// The mark is recorded in the store, and every program that writes to it keeps the index. Adding it to a model with records
/// makes the index when the store is opened. A model has at most 200 searched properties, with those of its owned records;
/// more are `limitExceeded`.
///
/// - Parameter weight: the weight of the property's words in a record's relevance, above 0.
@attached(peer)
public macro Searchable(weight: Double = 1) = #externalMacro(module: "StorageMacros", type: "MarkerMacro")
