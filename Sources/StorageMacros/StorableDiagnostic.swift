import SwiftDiagnostics
import SwiftSyntax

/// The text of an error or of a fix-it, identified by the function that made it.
struct StorableMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let diagnosticID: MessageID
    var fixItID: MessageID { diagnosticID }
    var severity: DiagnosticSeverity { .error }

    init(_ message: String, id: String) {
        self.message = message
        diagnosticID = MessageID(domain: "StorageMacros", id: String(id.prefix { $0 != "(" }))
    }
}

extension Diagnostic {
    /// An error at a node, named after the function that makes it.
    static func error(
        _ message: String, at node: some SyntaxProtocol, notes: [Note] = [], fixIts: [FixIt] = [],
        id: String = #function
    ) -> Diagnostic {
        Diagnostic(node: node, message: StorableMessage(message, id: id), notes: notes, fixIts: fixIts)
    }
}

extension Note {
    init(_ message: String, at node: some SyntaxProtocol) {
        self.init(node: Syntax(node), message: Text(message: message))
    }

    private struct Text: NoteMessage {
        let message: String
        var noteID: MessageID { MessageID(domain: "StorageMacros", id: "note") }
    }
}

// Fix-its are changes of text: no node has to be built only to be printed.
extension FixIt {
    static func insert(_ text: String, before node: some SyntaxProtocol, _ message: String) -> FixIt {
        let start = node.positionAfterSkippingLeadingTrivia
        return change(start..<start, to: text, in: node, message: message)
    }

    static func insert(_ text: String, after node: some SyntaxProtocol, _ message: String) -> FixIt {
        let end = node.endPositionBeforeTrailingTrivia
        return change(end..<end, to: text, in: node, message: message)
    }

    static func replace(_ node: some SyntaxProtocol, with text: String, _ message: String) -> FixIt {
        change(node.trimmedRange, to: text, in: node, message: message)
    }

    /// Removes a node and the space after it.
    static func remove(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
        change(node.positionAfterSkippingLeadingTrivia..<node.endPosition, to: "", in: node, message: message)
    }

    private static func change(
        _ range: Range<AbsolutePosition>, to text: String, in node: some SyntaxProtocol, message: String
    ) -> FixIt {
        FixIt(
            message: StorableMessage(message, id: "fixIt"),
            changes: [.replaceText(range: range, with: text, in: Syntax(node))])
    }
}
