import StorageDriver

extension Store.Options {
    /// Removes rules of a model's properties that the store has recorded and the model does not declare: uniqueness, expiry, search,
    /// the rules of references, and indexes.
    ///
    /// ```swift
    /// @Storable struct Customer {
    ///     var id: Int
    ///     var email: String  // was @Unique
    /// }
    ///
    /// let store = try await Store(
    ///     SQLiteBackend(path: "shop.db"), models: Customer.self,
    ///     options: .removingRules(of: Customer.self, "email"))
    /// ```
    ///
    /// A program that declares a property without a rule, or does not declare the property, removes no rule: another version
    /// of the program may rely on the rule. These options say that the rule is no longer wanted. The store removes it when
    /// it prepares the model, and logs that.
    ///
    /// A program that is open meanwhile and declares the rule gets `schemaMismatch` before it writes records of the model. If it is
    /// opened again, the rule is back, so that you can return to an earlier version of a program.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - properties: the stored names of the properties, declared or not. Name a property of owned records after the property
    ///     that owns them: `"lines.text"`. The name of a property that owns records, `"lines"`, stands for all of their properties.
    ///     Rules that the model declares stay.
    public func removingRules<M: Storable>(of model: M.Type, _ properties: String...) -> Self {
        var options = self
        options.removals.append((StoredName(model.schema.name), properties))
        return options
    }

    /// Options that remove rules, and otherwise the default ones; see `removingRules(of:_:)` of an instance.
    public static func removingRules<M: Storable>(of model: M.Type, _ properties: String...) -> Self {
        var options = Self()
        options.removals.append((StoredName(model.schema.name), properties))
        return options
    }
}
