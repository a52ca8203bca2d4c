// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Nobody who turns the trait off resolves or builds swift-configuration.
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

let package = Package(
    name: "swift-storage",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "StorageKit", targets: ["StorageKit"]),
        .library(name: "StorageAPI", targets: ["StorageAPI"]),
        .library(name: "StorageConfiguration", targets: ["StorageConfiguration"]),
        .library(name: "SQLiteBackend", targets: ["SQLiteBackend"]),
        .library(name: "ArchiveBackend", targets: ["ArchiveBackend"]),
        .library(name: "StorageConformance", targets: ["StorageConformance"]),
        .library(name: "StorageConformanceTesting", targets: ["StorageConformanceTesting"]),
        .library(name: "StorageConformanceXCTest", targets: ["StorageConformanceXCTest"]),
        .executable(name: "storage", targets: ["storage"]),
    ],
    traits: [
        .trait(
            name: "Configuration",
            description:
                "StorageConfiguration, which opens stores by settings. Without it, swift-configuration is not needed."
        ),
        .default(enabledTraits: ["Configuration"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.0.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .target(
            name: "StorageAPI",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(name: "StorageKit", dependencies: ["StorageAPI", "StorageMacros"], swiftSettings: strict),
        .target(
            name: "StorageConfiguration",
            dependencies: ["StorageAPI", .product(name: "Logging", package: "swift-log"), configuration],
            swiftSettings: strict),
        .macro(
            name: "StorageMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: strict),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "SQLiteBackend",
            dependencies: ["CSQLite", "StorageAPI", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(name: "CArchive", linkerSettings: [.linkedLibrary("archive")]),
        .target(
            name: "ArchiveBackend",
            dependencies: ["CArchive", "StorageAPI", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "StorageConformance",
            dependencies: ["StorageAPI", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(name: "StorageConformanceTesting", dependencies: ["StorageConformance"], swiftSettings: strict),
        .target(name: "StorageConformanceXCTest", dependencies: ["StorageConformance"], swiftSettings: strict),
        .executableTarget(
            name: "storage",
            dependencies: [
                "ArchiveBackend", "CArchive", "SQLiteBackend", "StorageAPI", "StorageConformance",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StorageMacrosTests",
            dependencies: [
                "StorageMacros",
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "ArchiveBackend", "SQLiteBackend", "StorageAPI", "StorageConformance", "StorageConformanceTesting",
                "StorageConformanceXCTest", "storage",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "CSQLiteFaults", path: "Tests/CSQLiteFaults", linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "ArchiveBackend", "StorageConfiguration", "StorageKit", "SQLiteBackend", "CSQLite", "CSQLiteFaults",
                configuration,
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ArchiveTests", dependencies: ["ArchiveBackend", "CArchive", "StorageKit"],
            resources: [.copy("Fixtures")], swiftSettings: strict),
        .testTarget(
            name: "GeneratedTests", dependencies: ["ArchiveBackend", "StorageConformance", "SQLiteBackend"],
            swiftSettings: strict),
        .testTarget(
            name: "ToolTests", dependencies: ["ArchiveBackend", "SQLiteBackend", "StorageKit", "storage"],
            swiftSettings: strict),
        .testTarget(
            name: "MutantTests",
            dependencies: ["StorageConformance", "SQLiteBackend", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .executableTarget(
            name: "PeopleExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/People",
            swiftSettings: strict),
        .executableTarget(
            name: "ReadmeExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/Readme",
            swiftSettings: strict),
        .executableTarget(
            name: "NotesApp",
            dependencies: [
                "ArchiveBackend", "StorageConfiguration", "StorageKit", "SQLiteBackend", configuration,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/NotesApp", swiftSettings: strict),
        .executableTarget(
            name: "HandWrittenExample", dependencies: ["StorageAPI"], path: "Examples/HandWritten",
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// Only whoever makes the documentation resolves its plug-in: scripts/make-documentation.
if Context.environment["STORAGE_DOCUMENTATION"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
