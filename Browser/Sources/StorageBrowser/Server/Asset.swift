import Hummingbird

/// A file that every page loads.
struct Asset {
    private let bytes: [UInt8]
    private let type: String

    /// - Returns: nil if the path is that of a page.
    init?(_ path: String) {
        switch path {
        case "/style.css": (bytes, type) = (PackageResources.style_css, "text/css; charset=utf-8")
        case "/script.js": (bytes, type) = (PackageResources.script_js, "text/javascript; charset=utf-8")
        case "/icon.svg": (bytes, type) = (PackageResources.icon_svg, "image/svg+xml")
        default: return nil
        }
    }

    var response: Response {
        var headers = Site.headers(type: type)
        // Each page would be drawn without its style at first; another program at this port has other files.
        headers[.cacheControl] = "private, max-age=60"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
