import Foundation
import StorageDriver
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The running requests of a session, which collects their responses up to a limit.
///
/// `URLSession.data(for:)` has no limit, and `bytes(for:)` does not exist on Linux.
final class HTTPRequests: NSObject, URLSessionDataDelegate {
    private struct Request {
        let continuation: CheckedContinuation<(status: Int, body: Data), any Error>
        var body = Data()
        var isTooLong = false
    }

    private let limit: Int
    private let running = Mutex<[Int: Request]>([:])

    init(limit: Int) { self.limit = limit }

    /// - Throws: `io` without a whole response; `limitExceeded` for a body that is longer than the limit; `CancellationError`.
    func perform(_ request: URLRequest, in session: URLSession) async throws -> (status: Int, body: Data) {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                running.withLock { $0[task.taskIdentifier] = Request(continuation: continuation) }
                // The handler may have run before the continuation was there.
                if Task.isCancelled { return end(task) { _ in throw CancellationError() } }
                task.resume()
            }
        } onCancel: {
            task.cancel()
            end(task) { _ in throw CancellationError() }
        }
    }

    /// Ends a request, unless it has ended.
    private func end(_ task: URLSessionTask, _ result: (Request) throws -> (status: Int, body: Data)) {
        guard let request = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        request.continuation.resume(with: Result { try result(request) })
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = running.withLock { running in
            guard var request = running.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            request.isTooLong = data.count > limit - request.body.count
            if !request.isTooLong { request.body.append(data) }
            running[dataTask.taskIdentifier] = request
            return request.isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task) { request in try Self.result(request, of: task, error, limit: limit) }
    }

    private static func result(
        _ request: Request, of task: URLSessionTask, _ error: (any Error)?, limit: Int
    ) throws -> (status: Int, body: Data) {
        if request.isTooLong {
            throw StorageError(
                .limitExceeded, "The answer is longer than the limit of \(limit) bytes.", operation: "sync")
        }
        if let error {
            throw StorageError(
                .io, "The hub cannot be reached; the next exchange sends the patches that wait.", operation: "sync",
                underlying: error)
        }
        guard let response = task.response as? HTTPURLResponse else {
            throw StorageError(.io, "The server's response is not HTTP.", operation: "sync")
        }
        return (response.statusCode, request.body)
    }
}
