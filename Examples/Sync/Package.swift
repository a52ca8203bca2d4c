// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the toolkit don't build an HTTP server and client.
let package = Package(
    name: "Sync",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-storage", path: "../..", traits: ["HTTP"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .target(
            name: "ShoppingModels",
            dependencies: [.product(name: "StorageKit", package: "swift-storage")]),
        .target(
            name: "ShoppingServer",
            dependencies: [
                "ShoppingModels",
                .product(name: "StorageSync", package: "swift-storage"),
                .product(name: "StorageSyncHTTP", package: "swift-storage"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .executableTarget(
            name: "SyncServer",
            dependencies: [
                "ShoppingServer",
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "PostgreSQLBackend", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "SyncDevice",
            dependencies: [
                "ShoppingModels",
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageSync", package: "swift-storage"),
                .product(name: "StorageSyncHTTP", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "SyncCheck",
            dependencies: [
                "ShoppingModels",
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "StorageSync", package: "swift-storage"),
                .product(name: "StorageSyncHTTP", package: "swift-storage"),
            ]),
        .testTarget(
            name: "SyncHTTPTests",
            dependencies: [
                "ShoppingServer",
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
    ]
)
