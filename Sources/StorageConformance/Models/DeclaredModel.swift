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

/// An embedded value that is null in JSON until something is given.
enum Reply: Codable, Sendable, Equatable {
    case open
    case given(String)

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        self = value.decodeNil() ? .open : .given(try value.decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if case .given(let text) = self { try value.encode(text) } else { try value.encodeNil() }
    }
}

/// The enums and the embedded value as snippets declare them.
let valueDeclarations = """
    enum Kind: String, Codable { case small, large, odd = "o'\\"d" }
    enum Level: Int, Codable { case low = -5, middle = 1, high = 9_000_000_000 }
    struct Payload: Codable {
        struct Part: Codable { var title: String?; var sizes: [String: Double] = [:] }
        var text: String; var part: Part?; var parts: [Part] = []
    }
    enum Reply: Codable {
        case open, given(String)
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self = value.decodeNil() ? .open : .given(try value.decode(String.self))
        }
        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            if case .given(let text) = self { try value.encode(text) } else { try value.encodeNil() }
        }
    }
    """
