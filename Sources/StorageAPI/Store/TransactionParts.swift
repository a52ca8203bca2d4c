import StorageDriver

/// The parts that features add to a transaction when it begins.
struct TransactionParts {
    let store: Store
    /// The session of the engine.
    let writer: any StorageWriter
    /// The transaction's author and note; nil if no changes are captured.
    let signature: CommitSignature?
    /// The transactions that share a commit with this one; nil if it shares none.
    let group: CommitGroup?
    /// The subscribers to the transaction's changes, in order. They are not called if no changes are captured.
    var subscribers: [any ChangeSubscriber] = []
    /// Receives the transaction's calls; nil for none.
    var hooks: (any TransactionHooks)?
    /// Wraps the sessions to which the transaction writes; nil for none.
    var layer: ((any StorageWriter) -> any StorageWriter)?
}

extension Store {
    /// True if features act on every write, whether or not changes are captured.
    private var hasLayers: Bool { features.joinsAll || registry.stamps.isUsed }

    /// Creates a transaction's context with the parts that features add, and the capture of its changes; nil if no changes
    /// are captured.
    @inline(__always)
    func context(
        of transaction: WriteTransaction, _ writer: any StorageWriter
    ) -> (TransactionContext, capture: ChangeCapture?) {
        // The usual case: the session is not wrapped.
        if !hasLayers, !features.activity.followed.isUsed {
            let context = TransactionContext(environment, writer: writer, call: transaction)
            if reacting?.mayReact == true { noteReactions(in: context, writer, nil) }
            return (context, nil)
        }
        let (context, capture) = joinedContext(of: transaction, writer)
        if reacting?.mayReact == true { noteReactions(in: context, writer, capture) }
        return (context, capture)
    }

    @inline(never)
    private func joinedContext(
        of transaction: WriteTransaction, _ writer: any StorageWriter
    ) -> (TransactionContext, capture: ChangeCapture?) {
        let changes = features.activity.followed.together.map { ChangeSet($0) }
        changes?.signature.author = environment.author
        let group = transaction.commitGroup
        var parts = TransactionParts(store: self, writer: writer, signature: changes?.signature, group: group)
        for feature in features.all { feature.join(&parts) }
        let capture = changes.map {
            ChangeCapture(
                writer, $0, subscribers: parts.subscribers, registry: registry, group: group,
                canWait: parts.hooks == nil)
        }
        var (outer, inner): (any StorageWriter, any StorageWriter) = (capture ?? writer, writer)
        if let layer = parts.layer { (outer, inner) = (layer(outer), layer(inner)) }
        let context = TransactionContext(environment, writer: outer, inner: inner, call: transaction, capture: capture)
        if let hooks = parts.hooks {
            context.hooks = hooks
            hooks.begin(context)
        }
        return (context, capture)
    }

    /// Finishes a context: checks its references, and lets the subscribers to its changes finish.
    ///
    /// - Returns: the models that the transaction has prepared or whose tables it has changed; nil for none.
    @inline(__always)
    func finish(
        _ context: TransactionContext, _ capture: ChangeCapture?
    ) throws(StorageError) -> UncommittedModels? {
        let own = try context.finish()
        if context.reactions != nil { try tellReactions(context, capture) }
        try capture?.willCommit()
        return own
    }

    // MARK: Reactions of the database

    /// Lets a transaction notice rows that the database changes by itself.
    @inline(never)
    private func noteReactions(
        in context: TransactionContext, _ writer: any StorageWriter, _ capture: ChangeCapture?
    ) {
        let measured = writer as? ForwardingWriter
        guard let reacting = (measured?.writer ?? writer) as? any ReactingWriter else { return }
        context.reactions = DatabaseReactions(reacting) { [features, interest = capture?.changes.interest] model in
            interest?.detail(of: model) != nil || features.takePart(in: model)
        }
        if capture != nil || hasLayers { reacting.watchReactions() }
    }

    /// Notifies features and subscribers, before the commit, of the models whose records the database has changed by
    /// itself.
    ///
    /// - Throws: `unsupported` if one of them must see every change.
    private func tellReactions(_ context: TransactionContext, _ capture: ChangeCapture?) throws(StorageError) {
        guard let reactions = context.reactions, capture != nil || hasLayers else { return }
        for model in try reactions.models() {
            for feature in features.all { try feature.requireKnown(model) }
            try capture?.didReact(in: model)
        }
    }
}
