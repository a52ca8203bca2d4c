import SwiftDiagnostics
import SwiftSyntax

// Errors of one property or name, independent of the rest of the struct.
extension StoredProperty {
    func check() -> [Diagnostic] {
        checkType() + (markers[.field]?.checkField() ?? [])
    }

    private func checkType() -> [Diagnostic] {
        if let part = type.unstorablePart { return [.unstorable(self, part)] }
        if let name = type.shadowedName { return [.shadowedType(self, name)] }
        guard type.isCollection else { return [] }
        return [Marker.indexed, .unique, .expires, .created, .modified].compactMap { markers[$0] }.map {
            .indexedCollection($0, self)
        }
    }
}

extension AttributeSyntax {
    fileprivate func checkField() -> [Diagnostic] {
        (fieldName?.checkStoredName() ?? []) + renamedFrom.flatMap { $0.checkStoredName() }
    }
}

extension ExprSyntax {
    /// Returns diagnostics for the expression as a stored name.
    func checkStoredName() -> [Diagnostic] {
        guard let text = plainText else { return [.nameIsNoLiteral(self)] }
        if text.isEmpty { return [.emptyName(self)] }
        return text.utf8.contains(0) ? [.nameWithNUL(self)] : []
    }
}
