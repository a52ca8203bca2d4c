// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// No trait is on by default. A package that enables none resolves swift-log and, for the macro, swift-syntax alone: SwiftPM
// leaves out what only disabled traits need, and what no product needs. So the programs, which need swift-argument-parser, are
// no products. In this package itself SwiftPM makes a product of each program: swift build --product storage.
// swift-configuration is resolved with its trait.
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

// Each trait brings one package.
let metrics = Target.Dependency.product(
    name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))
let tracing = Target.Dependency.product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"]))
let httpClient = Target.Dependency.product(
    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["HTTP"]))

// Only the trait needs libpq.
let postgresql = Target.Dependency.target(name: "PostgreSQLBackend", condition: .when(traits: ["PostgreSQL"]))
let postgresqlDoctor = Target.Dependency.target(name: "PostgreSQLDoctor", condition: .when(traits: ["PostgreSQL"]))

let package = Package(
    name: "swift-storage",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "StorageKit", targets: ["StorageKit"]),
        .library(name: "StorageAPI", targets: ["StorageAPI"]),
        .library(name: "StorageDriver", targets: ["StorageDriver"]),
        .library(name: "StorageCSV", targets: ["StorageCSV"]),
        .library(name: "StorageJSON", targets: ["StorageJSON"]),
        .library(name: "StorageConfiguration", targets: ["StorageConfiguration"]),
        .library(name: "StorageObservation", targets: ["StorageObservation"]),
        .library(name: "StorageServices", targets: ["StorageServices"]),
        .library(name: "StorageSync", targets: ["StorageSync"]),
        .library(name: "StorageSyncHTTP", targets: ["StorageSyncHTTP"]),
        .library(name: "StorageTenants", targets: ["StorageTenants"]),
        .library(name: "MemoryBackend", targets: ["MemoryBackend"]),
        .library(name: "SQLiteBackend", targets: ["SQLiteBackend"]),
        .library(name: "ArchiveBackend", targets: ["ArchiveBackend"]),
        .library(name: "PostgreSQLBackend", targets: ["PostgreSQLBackend"]),
        .library(name: "KeyedArchives", targets: ["KeyedArchives"]),
        .library(name: "StorageConformance", targets: ["StorageConformance"]),
        .library(name: "StorageConformanceTesting", targets: ["StorageConformanceTesting"]),
        // Loaded into a program that runs the suite: a disk that fails.
        .library(name: "DiskFaults", type: .dynamic, targets: ["CDiskFaults"]),
    ],
    traits: [
        .trait(
            name: "Configuration",
            description:
                "StorageConfiguration, which opens stores by settings. Without it, swift-configuration is not needed."
        ),
        .trait(
            name: "PostgreSQL",
            description:
                "PostgreSQL in the programs storage and conformance. Without it, they need no libpq; the product PostgreSQLBackend does not depend on it."
        ),
        .trait(
            name: "Metrics", description: "StorageServices reports what stores do to swift-metrics."),
        .trait(
            name: "Tracing", description: "StorageServices makes spans of what stores do, by swift-distributed-tracing."
        ),
        .trait(
            name: "ServiceLifecycle",
            description: "StorageServices closes stores when a service of swift-service-lifecycle is shut down."),
        .trait(
            name: "HTTP", description: "HTTPHub of StorageSyncHTTP reaches a hub over HTTP, by async-http-client."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.0.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.3.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .target(
            name: "StorageDriver",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "StorageCore",
            dependencies: ["StorageDriver", "StorageSearch", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "StorageAPI",
            dependencies: [
                "StorageCore", "StorageDigest", "StorageDriver", "StorageSearch",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(name: "StorageDigest", swiftSettings: strict),
        .target(name: "StorageSearch", swiftSettings: strict),
        .target(
            name: "StorageJSON", dependencies: ["StorageAPI", "StorageDigest", "StorageDriver", "StorageSearch"],
            swiftSettings: strict),
        .target(
            name: "StorageCSV", dependencies: ["StorageAPI", "StorageDriver", "StorageJSON"], swiftSettings: strict),
        .target(
            name: "MemoryBackend",
            dependencies: ["StorageDriver", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "StorageKit",
            dependencies: ["StorageAPI", "StorageCSV", "StorageDriver", "StorageJSON", "StorageMacros"],
            swiftSettings: strict),
        .target(
            name: "StorageConfiguration",
            dependencies: [
                "MemoryBackend", "StorageAPI", "StorageDriver", .product(name: "Logging", package: "swift-log"),
                configuration,
            ],
            swiftSettings: strict),
        .target(name: "StorageObservation", dependencies: ["StorageAPI", "StorageDriver"], swiftSettings: strict),
        .target(
            name: "StorageServices", dependencies: ["StorageAPI", "StorageDriver", metrics, tracing, lifecycle],
            swiftSettings: strict),
        // Without package access, so that the compiler keeps it to the interface that other packages have.
        .target(
            name: "StorageSync", dependencies: ["StorageAPI", "StorageDigest", "StorageDriver"], packageAccess: false,
            swiftSettings: strict),
        .target(
            name: "StorageSyncHTTP", dependencies: ["StorageDriver", "StorageSync", httpClient], packageAccess: false,
            swiftSettings: strict),
        .target(name: "StorageTenants", dependencies: ["StorageAPI", "StorageDriver"], swiftSettings: strict),
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
            dependencies: ["CSQLite", "StorageDriver", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(name: "CArchive", linkerSettings: [.linkedLibrary("archive")]),
        .target(name: "CChecksum"),
        .target(
            name: "ArchiveBackend",
            dependencies: ["CArchive", "CChecksum", "StorageDriver", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "PostgreSQLBackend",
            dependencies: ["CPostgreSQL", "StorageDriver", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        // The examination of servers that storage doctor makes: no program that uses the engine links it.
        .target(
            name: "PostgreSQLDoctor", dependencies: ["CPostgreSQL", "PostgreSQLBackend", "StorageDriver"],
            swiftSettings: strict),
        .target(
            name: "KeyedArchives", dependencies: ["ArchiveBackend", "StorageAPI", "StorageDriver"],
            swiftSettings: strict),
        .target(
            name: "StorageConformance",
            dependencies: [
                "MemoryBackend", "StorageAPI", "StorageDriver", "StorageJSON", "StorageSearch", "StorageSync",
                "TerminalOutput",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(name: "CDiskFaults"),
        .target(name: "StorageConformanceTesting", dependencies: ["StorageConformance"], swiftSettings: strict),
        .target(name: "TerminalOutput", swiftSettings: strict),
        .executableTarget(
            name: "storage",
            dependencies: [
                "ArchiveBackend", "CArchive", "CZlib", "MemoryBackend", "SQLiteBackend", "StorageAPI", "StorageCSV",
                "StorageDriver", "StorageJSON", "StorageSearch", "StorageSync", "StorageTenants", "TerminalOutput",
                postgresql,
                postgresqlDoctor,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "conformance",
            dependencies: [
                "ArchiveBackend", "FaultyStorage", "MemoryBackend", "SQLiteBackend", "StorageAPI", "StorageConformance",
                "StorageDriver", postgresql,
            ],
            swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        // What earlier versions have written, and what has to hold of it.
        .target(
            name: "LandedStores", dependencies: ["StorageKit"], path: "Tests/LandedStores",
            exclude: ["Fixtures/ORIGIN.md"], resources: [.copy("Fixtures")], swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "ArchiveBackend", "FaultyStorage", "MemoryBackend", "SQLiteBackend", "StorageAPI", "StorageConformance",
                "StorageConformanceTesting", "StorageDriver", "TestSupport", "conformance",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "CSQLiteFaults", path: "Tests/CSQLiteFaults", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "FaultyStorage",
            dependencies: ["ArchiveBackend", "CSQLiteFaults", "SQLiteBackend", "StorageConformance", "StorageDriver"],
            path: "Tests/FaultyStorage", swiftSettings: strict),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "ArchiveBackend", "KeyedArchives", "MemoryBackend", "StorageConfiguration", "StorageDriver",
                "StorageKit",
                "SQLiteBackend", "CSQLite", "CSQLiteFaults", "FaultyStorage", "LandedStores", "StorageTenants",
                "TestSupport",
                configuration,
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StorageSearchTests", dependencies: ["StorageSearch", "TestSupport"], resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "ObservationTests",
            dependencies: ["MemoryBackend", "SQLiteBackend", "StorageKit", "StorageObservation", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "StorageSyncTests",
            dependencies: [
                "FaultyStorage", "MemoryBackend", "SQLiteBackend", "StorageKit", "StorageSync", "TestSupport",
            ],
            swiftSettings: strict),
        // Compiled as new projects of Xcode are.
        .testTarget(
            name: "MainActorTests", dependencies: ["MemoryBackend", "StorageKit", "StorageObservation"],
            swiftSettings: strict + [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "ArchiveTests",
            dependencies: [
                "ArchiveBackend", "CArchive", "FaultyStorage", "KeyedArchives", "MemoryBackend", "StorageDriver",
                "StorageKit", "TestSupport",
            ],
            resources: [.copy("Fixtures")], swiftSettings: strict),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: [
                "FaultyStorage", "LandedStores", "MemoryBackend", "PostgreSQLBackend", "SQLiteBackend", "StorageDriver",
                "StorageKit", "StorageSync", "StorageTenants", "TestSupport", "conformance",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GeneratedTests",
            dependencies: ["ArchiveBackend", "MemoryBackend", "StorageConformance", "SQLiteBackend", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ToolTests",
            dependencies: ["ArchiveBackend", "CSQLite", "SQLiteBackend", "StorageKit", "TestSupport", "storage"],
            swiftSettings: strict),
        .testTarget(
            name: "MutantTests",
            dependencies: [
                "ArchiveBackend", "FaultyStorage", "MemoryBackend", "StorageConformance", "StorageDriver",
                "SQLiteBackend",
                "TestSupport",
                "conformance",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "DemoExample",
            dependencies: [
                "ArchiveBackend", "MemoryBackend", "SQLiteBackend", "StorageAPI", "StorageDriver", "TerminalOutput",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Demo", swiftSettings: strict),
        .executableTarget(
            name: "PeopleExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/People",
            swiftSettings: strict),
        .executableTarget(
            name: "WatchExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/Watch",
            swiftSettings: strict),
        .executableTarget(
            name: "ReadingListExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/ReadingList",
            swiftSettings: strict),
        .executableTarget(
            name: "CommitsExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/Commits",
            swiftSettings: strict),
        .executableTarget(
            name: "SearchExample", dependencies: ["ArchiveBackend", "StorageKit", "SQLiteBackend"],
            path: "Examples/Search", swiftSettings: strict),
        .executableTarget(
            name: "ReadmeExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/Readme",
            swiftSettings: strict),
        .executableTarget(
            name: "RelationsExample", dependencies: ["StorageKit", "SQLiteBackend"], path: "Examples/Relations",
            swiftSettings: strict),
        .executableTarget(
            name: "SeedsExample", dependencies: ["ArchiveBackend", "KeyedArchives", "StorageKit", "SQLiteBackend"],
            path: "Examples/Seeds", exclude: ["README.md"], swiftSettings: strict),
        .executableTarget(
            name: "NotesApp",
            dependencies: [
                "ArchiveBackend", "StorageConfiguration", "StorageKit", "SQLiteBackend", configuration,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/NotesApp", swiftSettings: strict),
        .executableTarget(
            name: "HandWrittenExample", dependencies: ["MemoryBackend", "StorageAPI"], path: "Examples/HandWritten",
            swiftSettings: strict),
        // A backend of somebody else's, who sees what is public and no more. It has a manifest of its own beside it; here it
        // is built with what is built anyway.
        .target(
            name: "SortedBackend", dependencies: ["StorageDriver"],
            path: "Examples/OutsideBackend/Sources/SortedBackend", packageAccess: false),
        .testTarget(
            name: "SortedBackendTests",
            dependencies: ["SortedBackend", "StorageConformance", "StorageConformanceTesting"],
            path: "Examples/OutsideBackend/Tests/SortedBackendTests", packageAccess: false),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/test builds the macro against the swift-syntax of the toolchain (scripts/make-macro), because swift-syntax takes
// longer to build than all libraries of this package. STORAGE_MACRO is the folder with the result. Only there can the macro's
// tests be among the others: a bundle of tests that links a macro of the package is built for the host, and everything else
// would be built a second time for it.
if let folder = Context.environment["STORAGE_MACRO"], !folder.isEmpty {
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return location.hasSuffix("/swift-syntax")
    }
    package.targets.removeAll { $0.type == .macro }
    for target in package.targets where target.type != .system {
        target.dependencies.removeAll { dependency in
            if case .byNameItem("StorageMacros", _) = dependency { true } else { false }
        }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-plugin-path", folder])]
    }
    let libraries = [
        "StorageMacros", "SwiftBasicFormat", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
        "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
    ]
    package.targets.append(
        .testTarget(
            name: "StorageMacrosTests", dependencies: ["TestSupport"],
            swiftSettings: strict + [.unsafeFlags(["-I", folder, "-I", "\(folder)/host"])],
            linkerSettings: [
                .unsafeFlags(
                    [folder, "\(folder)/host"].flatMap { ["-L", $0, "-Xlinker", "-rpath", "-Xlinker", $0] }
                        + libraries.map { "-l\($0)" })
            ]))
}

// What libFuzzer calls, and runs with a main function of its own, is a variant too; scripts/fuzz builds it. The tool is a
// library there, whose main function has another name.
if Context.environment["STORAGE_FUZZ_BUILD"] != nil {
    let needed = [
        "ArchiveBackend", "CArchive", "CChecksum", "CSQLite", "CZlib", "KeyedArchives", "MemoryBackend",
        "SQLiteBackend", "StorageAPI", "StorageCSV", "StorageCore", "StorageDigest", "StorageDriver", "StorageJSON",
        "StorageSearch",
        "TerminalOutput",
    ]
    package.products = []
    let parser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
    let libraries = needed.map(Target.Dependency.init(stringLiteral:))
    package.targets.removeAll { !needed.contains($0.name) }
    package.targets += [
        .target(
            name: "storage", dependencies: libraries + [parser],
            swiftSettings: strict + [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "storage_main"])
            ]),
        .executableTarget(
            name: "fuzz", dependencies: libraries + ["storage", parser], path: "Tests/Fuzz",
            exclude: ["Corpus", "Dictionaries"],
            swiftSettings: strict),
    ]
}
