// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the toolkit never resolve what only benchmarks need.
let package = Package(
    name: "storage-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-storage", path: "..")],
    targets: [
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "StorageBench",
            dependencies: [
                "CBaseline",
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
            ]),
        .executableTarget(
            name: "ArchiveBench",
            dependencies: [
                .product(name: "ArchiveBackend", package: "swift-storage"),
                .product(name: "StorageAPI", package: "swift-storage"),
                .product(name: "SQLiteBackend", package: "swift-storage"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
