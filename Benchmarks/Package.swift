// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the toolkit never resolve what only benchmarks need.
let package = Package(
    name: "storage-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-storage", path: "..", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "StorageBench",
            dependencies: [
                "CBaseline",
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageObservation", package: "swift-storage"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "JSONBench",
            dependencies: [
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageJSON", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "PostgreSQLBench",
            dependencies: [
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "PostgreSQLBackend", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageTenants", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "SearchBench",
            dependencies: [
                "CBaseline",
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "PostgreSQLBackend", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageKit", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "SyncBench",
            dependencies: [
                .product(name: "MemoryBackend", package: "swift-storage"),
                .product(name: "PostgreSQLBackend", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "StorageSync", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "ArchiveBench",
            dependencies: [
                "CBaseline",
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "KeyedArchives", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
