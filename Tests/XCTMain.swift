// The main function of the bundle of tests where SwiftPM looks for it, as on Linux. Without it SwiftPM looks for tests of
// XCTest in the index of the build. There are none, and scripts/test builds without an index, which takes time.
import Testing

@main struct TestsMain {
    static func main() async {
        // `swift test` starts the bundle once for each testing library.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
