import StorageDriver

// The chain of layers that wraps the writing session of a transaction.

extension Store {
    /// A transaction's context, with the layers that somebody needs, and what captures its changes: to look for that in the
    /// context again costs a save two casts.
    @inline(__always)
    func context(
        of job: WriteJob, _ writer: any StorageWriter
    ) -> (TransactionContext, capture: ChangeCapture?) {
        // As mostly, nothing is wrapped.
        if layers.isEmpty, !observers.captures {
            return (TransactionContext(environment, writer: writer, call: job), nil)
        }
        return layeredContext(of: job, writer)
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
            environment, writer: outer, inner: inner, call: job, signature: capture?.changes.signature)
        if let layered {
            context.hooks = layered
            layered.begin(context)
        }
        return (context, capture)
    }
}
