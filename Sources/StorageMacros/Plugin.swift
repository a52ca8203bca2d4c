import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StoragePlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [StorableMacro.self, MarkerMacro.self]
}
