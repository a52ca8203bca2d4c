import StorageDriver

// The chain of layers that wraps the writing session of a transaction.

extension Store {
    /// A transaction's context, with the layers that somebody needs, and what captures its changes.
    @inline(__always)
    func context(
        of job: WriteJob, _ writer: any StorageWriter
    ) -> (TransactionContext, capture: ChangeCapture?) {
        // As mostly, nothing is wrapped.
        if layers.isEmpty, !observers.captures {
            let context = TransactionContext(environment, writer: writer, call: job)
            if reacting?.mayReact == true { noteReactions(in: context, writer, nil) }
            return (context, nil)
        }
        let (context, capture) = layeredContext(of: job, writer)
        if reacting?.mayReact == true { noteReactions(in: context, writer, capture) }
        return (context, capture)
    }

    /// Lets a transaction know of rows that the database changes by itself.
    @inline(never)
    private func noteReactions(
        in context: TransactionContext, _ writer: any StorageWriter, _ capture: ChangeCapture?
    ) {
        let metered = writer as? ForwardingWriter
        guard let reacting = (metered?.writer ?? writer) as? any ReactingWriter else { return }
        context.reactions = DatabaseReactions(reacting) { [layers, interest = capture?.changes.interest] model in
            interest?.detail(of: model) != nil || layers.takesPart(in: model)
        }
        if capture != nil || !layers.isEmpty { reacting.watchReactions() }
    }

    /// Tells those who follow changes what the database has changed by itself, before the commit.
    ///
    /// - Throws: `unsupported` if some must know more than that.
    func tellReactions(_ context: TransactionContext, _ capture: ChangeCapture?) throws(StorageError) {
        guard let reactions = context.reactions, capture != nil || !layers.isEmpty else { return }
        for model in try reactions.models() {
            try layers.requireKnown(model)
            try capture?.didReact(in: model)
        }
    }

    @inline(never)
    private func layeredContext(
        of job: WriteJob, _ writer: any StorageWriter
    ) -> (TransactionContext, capture: ChangeCapture?) {
        let layered = layers.isEmpty ? nil : LayeredTransaction(layers, self)
        let capture = observers.capture(writer, registry) { signature in
            let recorder = history.recorder(writer, signature)
            let subscribers: [(any ChangeSubscriber)?] = [recorder, layered, search.recorder(writer)]
            return subscribers.compactMap(\.self)
        }
        var (outer, inner): (any StorageWriter, any StorageWriter) = (capture ?? writer, writer)
        if let layered, layers.hasRowLayers {
            outer = RowLayerWriter(outer, layers, layered)
            inner = RowLayerWriter(inner, layers, layered)
        }
        let context = TransactionContext(
            environment, writer: outer, inner: inner, call: job, capture: capture)
        if let layered {
            context.hooks = layered
            layered.begin(context)
        }
        return (context, capture)
    }
}
