public import Foundation
public import StorageAPI

/// A disk that fails below a backend with files, whatever language its engine is written in.
///
/// It needs the product `DiskFaults`, a library that stands before the system's calls. On Linux, load it into the program that
/// runs the suite: `LD_PRELOAD=.build/debug/libDiskFaults.so my-conformance`. It sees what the program writes, syncs, truncates,
/// renames and removes, and not what it writes through a memory map.
///
/// ```swift
/// func faults(at place: URL) -> (any FaultInjection)? { DiskFaults(place) }
/// ```
///
/// Unchecked, because nothing of it changes, and each function of C that is given its disk takes a lock.
public final class DiskFaults: FaultInjection, @unchecked Sendable {
    /// The part of a case that makes a store one of a later format; see ``FaultInjection/makeNewer()``.
    public typealias MakingNewer = @Sendable () throws -> @Sendable () throws -> [UInt8]

    public let relaxed: (any StorageBackend)?
    private let making: MakingNewer?
    private let disk: UnsafeMutableRawPointer
    private let functions: Functions

    /// Faults of the files in a folder; nil if the library is not loaded.
    ///
    /// - Parameters:
    ///   - folder: the folder, which exists.
    ///   - relaxed: the backend with a durability by which a power cut may lose the last commits, if it has one.
    ///   - makingNewer: makes the closed store one that a later version of its format has written, if the author can.
    public init?(_ folder: URL, relaxed: (any StorageBackend)? = nil, makingNewer: MakingNewer? = nil) {
        guard let functions = Functions.loaded, let disk = functions.begin(folder.path) else { return nil }
        (self.disk, self.functions, self.relaxed, making) = (disk, functions, relaxed, makingNewer)
    }

    deinit { functions.end(disk) }

    public var lacking: [InjectedFault.Kind: String] {
        var lacking: [InjectedFault.Kind: String] = [
            .lostAnswer: "A call on a file is answered where it is made.",
            .silentConnection: "A call on a file is answered where it is made.",
        ]
        if making == nil { lacking[.newerFormat] = "The harness makes no store of a later format." }
        return lacking
    }

    public func begin(_ fault: InjectedFault?) {
        functions.arm(disk, Int64(fault?.call ?? 0), fault?.isFull == true ? 1 : 0, fault?.isLasting == true ? 1 : 0)
    }

    public var calls: Int { Int(functions.count(disk)) }

    public func cutPower(keeping kept: UnsyncedBytes) {
        switch kept {
        case .none: functions.cut(disk, 0, 0)
        case .beginning: functions.cut(disk, 100, 0)
        case .evenSectors: functions.cut(disk, 0, 1)
        case .oddSectors: functions.cut(disk, 0, 2)
        case .all: functions.cut(disk, .max, 0)
        }
    }

    public func makeNewer() throws -> @Sendable () throws -> [UInt8] {
        guard let making else {
            throw StorageError(
                .unsupported, "The harness makes no store of a later format; give DiskFaults makingNewer.")
        }
        return try making()
    }
}

/// The functions of the loaded library, as `diskfaults.h` declares them.
private struct Functions: Sendable {
    let begin: @convention(c) (UnsafePointer<CChar>) -> UnsafeMutableRawPointer?
    let end: @convention(c) (UnsafeMutableRawPointer) -> Void
    let arm: @convention(c) (UnsafeMutableRawPointer, Int64, Int32, Int32) -> Void
    let count: @convention(c) (UnsafeMutableRawPointer) -> Int64
    let cut: @convention(c) (UnsafeMutableRawPointer, Int64, Int32) -> Void

    /// Nil if the library is not loaded.
    static let loaded: Functions? = {
        #if os(Linux)
        func function<T>(_ name: String, _: T.Type) -> T? {
            // Without a handle the system looks in everything that is loaded.
            dlsym(nil, "disk_faults_" + name).map { unsafeBitCast($0, to: T.self) }
        }
        guard let begin = function("begin", (@convention(c) (UnsafePointer<CChar>) -> UnsafeMutableRawPointer?).self),
            let end = function("end", (@convention(c) (UnsafeMutableRawPointer) -> Void).self),
            let arm = function("arm", (@convention(c) (UnsafeMutableRawPointer, Int64, Int32, Int32) -> Void).self),
            let count = function("count", (@convention(c) (UnsafeMutableRawPointer) -> Int64).self),
            let cut = function("cut_power", (@convention(c) (UnsafeMutableRawPointer, Int64, Int32) -> Void).self)
        else { return nil }
        return Functions(begin: begin, end: end, arm: arm, count: count, cut: cut)
        #else
        return nil
        #endif
    }()
}
