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
            return owner.map { .duplicateName(name, property, $0) }
        }
    }

    func checkKeys(of type: StructDeclSyntax) -> [Diagnostic] {
        let keys = keys
        if keys.isEmpty { return [.noKey(type, candidates: properties.filter(\.couldBeKey))] }
        return keys.compactMap { $0.checkKey(isComposite: keys.count > 1) }
    }
}

extension StoredProperty {
    /// Whether `@Key` is a plausible suggestion: a property without a default, of a type that can be a key.
    fileprivate var couldBeKey: Bool {
        defaultValue == nil && declaration.bindings.count == 1 && type.isSurelyKey
    }

    fileprivate func checkKey(isComposite: Bool) -> Diagnostic? {
        guard let wrapped = type.wrapped else { return type.isSurelyNoKey ? .unusableKey(self) : nil }
        if isComposite { return .optionalInCompositeKey(self) }
        if wrapped.wrapped != nil || wrapped.isSurelyNoKey { return .unusableKey(self) }
        if wrapped.isString { return .optionalTextKey(self) }
        return declaration.isLet ? .constantOptionalKey(self) : nil
    }
}
