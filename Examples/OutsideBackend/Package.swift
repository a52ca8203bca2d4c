// swift-tools-version: 6.2
import PackageDescription

// A backend in a package of its own, as its author writes it. An author names the path to a clone,
// .package(name: "swift-storage", path: "../swift-storage", traits: []), or from the first release on a URL and a version.
// Without the trait Configuration, which a backend does not need, swift-configuration is not even fetched.
let package = Package(
    name: "OutsideBackend",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "SortedBackend", targets: ["SortedBackend"])],
    dependencies: [.package(name: "swift-storage", path: "../..", traits: [])],
    targets: [
        .target(name: "SortedBackend", dependencies: [.product(name: "StorageDriver", package: "swift-storage")]),
        .testTarget(
            name: "SortedBackendTests",
            dependencies: [
                "SortedBackend",
                .product(name: "StorageConformance", package: "swift-storage"),
                .product(name: "StorageConformanceTesting", package: "swift-storage"),
            ]),
    ]
)
