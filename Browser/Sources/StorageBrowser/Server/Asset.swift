import Hummingbird

/// A file that every page loads.
struct Asset {
    private let bytes: [UInt8]
    private let type: String

    /// - Returns: nil if the path is that of a page.
    init?(_ path: String) {
        switch path {
        case "/style.css": (bytes, type) = (Self.style, "text/css; charset=utf-8")
        case "/script.js": (bytes, type) = (Self.script, "text/javascript; charset=utf-8")
        case "/icon.svg": (bytes, type) = (PackageResources.icon_svg, "image/svg+xml")
        default: return nil
        }
    }

    private static let style = short(
        PackageResources.style_css, withoutSpaceAt: [(": ", ":"), ("; ", ";"), (" {", "{")])
    private static let script = short(PackageResources.script_js)

    /// A source without indentation, empty lines and whole lines of comment. No string in it spans lines.
    ///
    /// - Parameter marks: marks with a superfluous space, and without it. No string in the source has one.
    private static func short(_ text: [UInt8], withoutSpaceAt marks: [(String, String)] = []) -> [UInt8] {
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let kept = lines.map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { line in
            let isComment = line.hasPrefix("//") || line.hasPrefix("/*") && line.hasSuffix("*/")
            return !line.isEmpty && !isComment
        }
        let all = marks.reduce(kept.joined(separator: "\n")) { $0.replacing($1.0, with: $1.1) }
        return Array(all.utf8)
    }

    var response: Response {
        var headers = Site.headers(type: type)
        // Each page would be drawn without its style at first; another program at this port has other files.
        headers[.cacheControl] = "private, max-age=60"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
