#if Tracing
public import StorageAPI
import StorageDriver
public import Tracing

/// Makes a span of each call of a store, by swift-distributed-tracing.
///
/// Give it to a store when it opens: `instruments: [StoreTracing()]`.
///
/// A span's name is the verb and the model, as `save Person`. It is a child of the span of the task that calls. Its
/// attributes are `db.system.name`, `db.operation.name`, `db.collection.name`, `db.response.returned_rows` and, if the call
/// failed, `error.type`, as OpenTelemetry's conventions for databases name them. Values of records and conditions are in no
/// attribute.
///
/// A transaction is one span; the calls in it have none of their own.
public struct StoreTracing: Store.Instrument {
    private let tracer: (any Tracer)?

    /// Spans of a tracer; nil for the one that the program has bootstrapped.
    public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

    public func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span = tracer.startAnySpan(
            call.model.map { "\(call.operation) \($0)" } ?? call.operation, ofKind: .client)
        span.attributes["db.system.name"] = call.backend
        span.attributes["db.operation.name"] = call.operation
        if let model = call.model { span.attributes["db.collection.name"] = model }
        return { end in
            if !call.isWriting { span.attributes["db.response.returned_rows"] = end.rowsRead }
            if let error = end.error {
                span.attributes["error.type"] = error.code.rawValue
                span.setStatus(SpanStatus(code: .error))
            }
            span.end()
        }
    }
}
#endif
