// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A separate package, so that users of the toolkit and its tool don't build an HTTP server.
let package = Package(
    name: "storage-browser",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "storage-browser", targets: ["storage-browser"])],
    traits: [
        .trait(name: "PostgreSQL", description: "Stores on PostgreSQL. Without it, the program needs no libpq.")
    ],
    dependencies: [
        .package(name: "swift-storage", path: "..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.3.0"),
    ],
    targets: [
        .target(
            name: "StorageBrowser",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageCSV", package: "swift-storage"),
                .product(name: "StorageJSON", package: "swift-storage"),
                .product(name: "StorageDriver", package: "swift-storage"),
                .product(name: "StorageSync", package: "swift-storage"),
            ],
            resources: [
                .embedInCode("Resources/style.css"), .embedInCode("Resources/script.js"),
                .embedInCode("Resources/icon.svg"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "storage-browser",
            dependencies: [
                "StorageBrowser",
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(
                    name: "PostgreSQLBackend", package: "swift-storage", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageJSON", package: "swift-storage"),
                .product(name: "StorageDriver", package: "swift-storage"),
            ],
            swiftSettings: strict),
        // Makes the stores of the tests, and writes to them beside an open page.
        .executableTarget(
            name: "browser-fixture",
            dependencies: [
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(
                    name: "PostgreSQLBackend", package: "swift-storage", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageJSON", package: "swift-storage"),
                .product(name: "StorageDriver", package: "swift-storage"),
                .product(name: "StorageSync", package: "swift-storage"),
            ],
            path: "Tests/BrowserFixture",
            swiftSettings: strict),
        // Run by scripts/check-browser, which says where the programs and the stores are.
        .testTarget(name: "BrowserTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
