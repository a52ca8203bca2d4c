// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the toolkit don't build an HTTP server.
let package = Package(
    name: "Server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "swift-storage", path: "../..",
            traits: ["Configuration", "Metrics", "ServiceLifecycle", "Tracing"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
    ],
    targets: [
        .executableTarget(
            name: "NotesServer",
            dependencies: [
                .product(name: "StorageKit", package: "swift-storage"),
                .product(name: "StorageConfiguration", package: "swift-storage"),
                .product(name: "StorageServices", package: "swift-storage"),
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "PostgreSQLBackend", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "ServerCheck",
            dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")]),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                .product(name: "StorageKit", package: "swift-storage"),
                .product(name: "StorageServices", package: "swift-storage"),
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
    ]
)
