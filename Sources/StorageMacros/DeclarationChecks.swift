import SwiftDiagnostics
import SwiftSyntax

// Errors of all properties together: their stored names and the key.
extension StorableDeclaration {
    /// Two properties under one stored name. Names are compared by their bytes, as everywhere in a store.
    func checkNames() -> [Diagnostic] {
        var owners: [[UInt8]: StoredProperty] = [:]
        return properties.compactMap { property in
            guard let name = property.storedName else { return nil }
            let owner = owners.updateValue(property, forKey: Array(name.utf8))
            return owner.map { .duplicateName(name, of: property, first: $0) }
        }
    }

    /// A struct without a key is one that others own. Opening a store with it as a root reports the missing key.
    func checkKeys() -> [Diagnostic] {
        let keys = keys
        return keys.compactMap { $0.checkKey(isComposite: keys.count > 1) }
    }
}

extension StoredProperty {
    fileprivate func checkKey(isComposite: Bool) -> Diagnostic? {
        guard let wrapped = type.wrapped else { return type.isSurelyNoKey ? .unusableKey(self) : nil }
        if isComposite { return .optionalInCompositeKey(self) }
        if wrapped.wrapped != nil || wrapped.isSurelyNoKey { return .unusableKey(self) }
        if wrapped.isString { return .optionalTextKey(self) }
        return declaration.isLet ? .constantOptionalKey(self) : nil
    }
}
