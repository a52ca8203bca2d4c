package import Foundation

/// The program `conformance`, which is built beside the tests.
package let conformanceProgram: URL = {
    let bundles =
        Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL, Bundle.main.executableURL].compactMap(\.self)
    let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
    let places = folders.map { $0.appending(path: "conformance") }
    return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? URL(fileURLWithPath: "conformance")
}()
