internal import StorageAPI

/// A model of the suite that knows how an application would declare it, for the snippets of failures.
protocol DeclaredModel: Storable {
    static var declaration: String { get }
}

enum Kind: String, Codable, Sendable, CaseIterable {
    case small, large
    case odd = "o'\"d"
}

enum Level: Int, Codable, Sendable, CaseIterable {
    case low = -5
    case middle = 1
    case high = 9_000_000_000
}

/// An embedded value: Codable, and no model.
struct Payload: Codable, Sendable {
    struct Part: Codable, Sendable {
        var title: String?
        var sizes: [String: Double] = [:]
    }
    var text: String
    var part: Part?
    var parts: [Part] = []
}

/// The enums and the embedded value as snippets declare them.
let valueDeclarations = """
    enum Kind: String, Codable { case small, large, odd = "o'\\"d" }
    enum Level: Int, Codable { case low = -5, middle = 1, high = 9_000_000_000 }
    struct Payload: Codable {
        struct Part: Codable { var title: String?; var sizes: [String: Double] = [:] }
        var text: String; var part: Part?; var parts: [Part] = []
    }
    """
