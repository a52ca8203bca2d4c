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
/// Types come from annotations, from literals, or from a call of an initialiser such as `Date()`; a property whose type
/// shows in none of these needs an annotation. Computed, static and `@Ignored` properties are not stored. The struct
/// stands at file scope or inside another type, and is neither generic nor has stored properties inside `#if`.
///
/// A property's column, as in `where { $0.name == "Ann" }`, is visible where the property is; a private one is not.
///
/// The key is the property called `id`, or those marked with ``Key()``. A single Optional integer or UUID key that is nil is
/// assigned by the store when the model is inserted.
@attached(
    member,
    names: named(Key), named(schema), named(readProperties), named(write), named(writeKey), named(values),
    named(readKey), named(ordinal), named(assign), named(Columns)
)
@attached(extension, conformances: Storable, names: named(init))
public macro Storable() = #externalMacro(module: "StorageMacros", type: "StorableMacro")

/// Makes a struct storable under another name than its own.
///
/// Use it to keep the stored name when the struct is renamed, or to open a table that other software made.
///
/// - Parameter name: a string literal; not empty and without NUL. Anything else is allowed, SQL words included.
@attached(
    member,
    names: named(Key), named(schema), named(readProperties), named(write), named(writeKey), named(values),
    named(readKey), named(ordinal), named(assign), named(Columns)
)
@attached(extension, conformances: Storable, names: named(init))
public macro Storable(_ name: String) = #externalMacro(module: "StorageMacros", type: "StorableMacro")

/// Marks the key of a `@Storable` struct that has no property called `id`, or another key than that.
///
/// Several marks make a composite key, in the order of the properties. A key is an integer, a `String`, a `UUID`, or an
/// enum of integers or strings.
@attached(peer)
public macro Key() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Keeps an index, so that filtering and sorting by the property need not read every record.
///
/// Costs some time and space with each write.
@attached(peer)
public macro Indexed() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Refuses two records with equal values of the property. nil is equal to nothing here.
///
/// Writing an equal value throws a `constraint` error. A unique property is indexed as well.
@attached(peer)
public macro Unique() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Stores the property under another name than its own.
///
/// - Parameter storedName: a string literal; not empty and without NUL.
@attached(peer)
public macro Field(_ storedName: String) = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Stores the property under another name than its own, and moves what was stored under an older name to it.
///
/// - Parameters:
///   - storedName: a string literal; not empty and without NUL.
///   - renamedFrom: the stored name in older stores, a string literal. Stores without it are opened just as well.
@attached(peer)
public macro Field(_ storedName: String, renamedFrom: String) =
    #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Moves what was stored under an older name to the property's own name.
///
/// - Parameter renamedFrom: the stored name in older stores, a string literal. Stores without it are opened just as
///   well.
@attached(peer)
public macro Field(renamedFrom: String) = #externalMacro(module: "StorageMacros", type: "MarkerMacro")

/// Leaves a property of a `@Storable` struct out of the store. A model that is read has the property's default value.
@attached(peer)
public macro Ignored() = #externalMacro(module: "StorageMacros", type: "MarkerMacro")
