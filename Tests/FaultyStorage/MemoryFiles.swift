import Foundation
package import StorageDriver

/// A file system in memory: calls fail when told to, writes may be short, space may end, and power may be cut.
///
/// Unchecked, because every access to the state takes the lock, and the closures are set while nothing runs.
package final class MemoryFiles: FileLayer, @unchecked Sendable {
    /// A fault: the failing call, counted from 0 among the calls of some names or all, its `errno`, and whether all later
    /// ones fail too.
    package struct Fault: Sendable {
        package var call: Int
        package var names: Set<String>?
        package var isSticky: Bool
        package var code: Int32

        package init(call: Int, names: Set<String>? = nil, isSticky: Bool = false, code: Int32 = EIO) {
            (self.call, self.names, self.isSticky, self.code) = (call, names, isSticky, code)
        }
    }

    fileprivate final class Node {
        var bytes: [UInt8] = []
        /// The bytes on the disk.
        var synced: [UInt8] = []
        /// The ranges written since the last sync, including one that failed: as on Linux, the next one does not write
        /// it.
        var dirty: [Range<Int>] = []
        /// The minimum size since the last sync that did not fail.
        var minimum = 0
        var isLocked = false

        var status: FileStatus {
            FileStatus(
                size: Int64(bytes.count), modified: 0, device: 1,
                number: UInt64(UInt(bitPattern: ObjectIdentifier(self))),
                permissions: 0o644, owner: 0, group: 0)
        }

        func write(_ new: UnsafeRawBufferPointer.SubSequence, at offset: Int) {
            let end = offset + new.count
            dirty.append(min(offset, bytes.count)..<end)
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(offset..<end, with: new)
        }

        func truncate(to size: Int) {
            bytes = Array(bytes.prefix(size))
            minimum = min(minimum, size)
        }

        func sync() {
            synced = Array(synced.prefix(minimum))
            synced += [UInt8](repeating: 0, count: bytes.count - synced.count)
            for range in dirty {
                let range = range.clamped(to: bytes.indices)
                synced.replaceSubrange(range, with: bytes[range])
            }
            (dirty, minimum) = ([], bytes.count)
        }

        /// The disk and the file are both this.
        func settle(_ contents: [UInt8]) { (bytes, synced, dirty, minimum) = (contents, contents, [], contents.count) }
    }

    fileprivate struct State {
        var nodes: [String: Node] = [:]
        /// The names that the disk has.
        var synced: [String: Node] = [:]
        var open: [Int32: Node] = [:]
        var locks: [Int32: Node] = [:]
        var next: Int32 = 3
        var calls = 0
        /// The calls that the fault counts.
        var counted = 0
        var syncs = 0
        var writes = 0
        var bytesRead = 0
        var fault: Fault?
        var space: Int?
        var maximumWrite = Int.max
    }

    private let lock = NSLock()
    private var unlockedState: State

    package init(fault: Fault? = nil, maximumWrite: Int = .max) {
        unlockedState = State(fault: fault, maximumWrite: maximumWrite)
    }

    private func withState<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&unlockedState)
    }

    /// Calls made so far.
    package var calls: Int { withState(\.calls) }
    /// Syncs of files' contents made so far.
    package var syncs: Int { withState(\.syncs) }
    /// Calls that the fault counts, since it was set.
    package var counted: Int { withState(\.counted) }
    /// True if a call has failed since the fault was set.
    package var hasMetFault: Bool { withState { state in state.fault.map { state.counted > $0.call } ?? false } }
    /// Bytes that were read since the fault was set.
    package var bytesRead: Int { withState(\.bytesRead) }
    /// Writes made since the fault was set.
    package var writes: Int { withState(\.writes) }
    package var names: Set<String> { withState { Set($0.nodes.keys) } }
    package subscript(path: String) -> [UInt8]? {
        get { withState { $0.nodes[path]?.bytes } }
        set {
            withState { state in
                let node = state.nodes[path] ?? Node()
                node.settle(newValue ?? [])
                state.nodes[path] = newValue == nil ? nil : node
                state.synced[path] = state.nodes[path]
            }
        }
    }
    package func set(_ fault: Fault?) {
        withState { ($0.fault, $0.calls, $0.counted, $0.writes, $0.bytesRead) = (fault, 0, 0, 0, 0) }
    }
    /// Called before each read, as another process that writes meanwhile.
    package var beforeRead: () -> Void = {}
    /// Called before each lock, likewise.
    package var beforeLock: () -> Void = {}
    /// Bytes that all files together may have.
    package func limit(to space: Int?) { withState { $0.space = space } }
    package var used: Int { withState(\.used) }

    /// Forgets what no sync has waited for, but the first `kept` bytes of it in each file, and who has what open.
    package func cutPower(keeping kept: Int) {
        cutPower { old, new in
            let end = (zip(old, new).prefix { $0 == $1 }.count) + kept
            return Array(new.prefix(end) + old.dropFirst(end))
        }
    }

    /// The same, but for the sectors that had reached the disk by then, in whatever order.
    package func cutPower(keepingSectors isKept: (Int) -> Bool) {
        cutPower { old, new in
            stride(from: 0, to: max(old.count, new.count), by: 512).reduce(into: []) { bytes, start in
                let sector = (isKept(start / 512) ? new : old).dropFirst(start).prefix(512)
                if !sector.isEmpty { bytes += [UInt8](repeating: 0, count: start - bytes.count) + sector }
            }
        }
    }

    /// Ends the process that has files open: their bytes stay, and no process has them open or locked.
    package func kill() {
        withState { state in
            for node in state.locks.values { node.isLocked = false }
            (state.open, state.locks) = ([:], [:])
        }
    }

    /// - Parameter left: the rest of a file, by the disk's bytes and the file's bytes.
    private func cutPower(_ left: ([UInt8], [UInt8]) -> [UInt8]) {
        withState { state in
            state.nodes = state.synced
            for node in state.nodes.values {
                node.settle(left(node.synced, node.bytes))
                node.isLocked = false
            }
            (state.open, state.locks, state.fault) = ([:], [:], nil)
        }
    }

    private func call<T>(_ name: String, _ body: (inout State) throws(SystemError) -> T) throws(SystemError) -> T {
        try withState { (state) throws(SystemError) in
            state.calls += 1
            if let fault = state.fault, fault.names?.contains(name) ?? true {
                defer { state.counted += 1 }
                if fault.isSticky ? state.counted >= fault.call : state.counted == fault.call {
                    throw SystemError(call: name, code: fault.code)
                }
            }
            return try body(&state)
        }
    }

    package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> Int32 {
        try call("open") { (state) throws(SystemError) in
            var node = access == .folder ? Node() : state.nodes[path]
            switch access {
            case .createNew:
                if node != nil { throw SystemError(call: "open", code: EEXIST) }
                node = Node()
            case .create: node = node ?? Node()
            case .read, .readWrite, .folder: break
            }
            guard let node else { throw SystemError(call: "open", code: ENOENT) }
            if access != .folder { state.nodes[path] = node }
            state.next += 1
            state.open[state.next] = node
            return state.next
        }
    }

    package func read(_ file: Int32, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(SystemError)
        -> Int
    {
        beforeRead()
        return try call("pread") { (state) throws(SystemError) in
            let part = try state.node(file).bytes.dropFirst(Int(offset)).prefix(bytes.count)
            bytes.copyBytes(from: part)
            state.bytesRead += part.count
            return part.count
        }
    }

    package func write(_ file: Int32, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try call("pwrite") { (state) throws(SystemError) in
            state.writes += 1
            let node = try state.node(file)
            let growth = max(0, Int(offset) + bytes.count - node.bytes.count)
            let free = state.space.map { max(0, $0 - state.used) } ?? .max
            let count = min(bytes.count - max(0, growth - free), state.maximumWrite)
            guard count > 0 else { throw SystemError(call: "pwrite", code: ENOSPC) }
            node.write(bytes.prefix(count), at: Int(offset))
            return count
        }
    }

    package func sync(_ file: Int32, _ scope: SyncScope) throws(SystemError) {
        do {
            try call("fsync") { (state) throws(SystemError) in
                let node = try state.node(file)
                node.sync()
                if scope == .contents { state.syncs += 1 }
                // A folder is no node of its own: syncing it keeps all names.
                if !state.nodes.values.contains(where: { $0 === node }) { state.synced = state.nodes }
            }
        } catch {
            // The system takes the bytes that it has in memory for the disk's bytes.
            withState { $0.open[file]?.dirty = [] }
            throw error
        }
    }

    package func truncate(_ file: Int32, to size: Int64) throws(SystemError) {
        try call("ftruncate") { (state) throws(SystemError) in
            let node = try state.node(file)
            node.truncate(to: Int(size))
        }
    }

    package func status(_ file: Int32) throws(SystemError) -> FileStatus {
        try call("fstat") { (state) throws(SystemError) in
            try state.node(file).status
        }
    }

    package func status(at path: String) throws(SystemError) -> FileStatus? {
        try call("stat") { $0.nodes[path]?.status }
    }

    package func adopt(_ status: FileStatus, for file: Int32) throws(SystemError) {
        try call("fchmod") { (state) throws(SystemError) in _ = try state.node(file) }
    }

    package func lock(_ file: Int32, shared isShared: Bool) throws(SystemError) -> Bool {
        beforeLock()
        return try call("flock") { (state) throws(SystemError) in
            let node = try state.node(file)
            if node.isLocked { return false }
            // Nobody keeps a lock that is shared.
            if isShared { return true }
            node.isLocked = true
            state.locks[file] = node
            return true
        }
    }

    package func close(_ file: Int32) {
        withState { state in
            state.locks.removeValue(forKey: file)?.isLocked = false
            state.open[file] = nil
        }
    }

    package func rename(_ path: String, to newPath: String, replacing isReplacing: Bool) throws(SystemError) {
        try call("rename") { (state) throws(SystemError) in
            if !isReplacing, state.nodes[newPath] != nil { throw SystemError(call: "rename", code: EEXIST) }
            guard let node = state.nodes.removeValue(forKey: path) else {
                throw SystemError(call: "rename", code: ENOENT)
            }
            state.nodes[newPath] = node
        }
    }

    package func remove(_ path: String) throws(SystemError) {
        try call("unlink") { (state) throws(SystemError) in
            guard state.nodes.removeValue(forKey: path) != nil else {
                throw SystemError(call: "unlink", code: ENOENT)
            }
        }
    }

    package func resolve(_ path: String) throws(SystemError) -> String? {
        try call("realpath") { $0.nodes[path] != nil || path == "/" ? path : nil }
    }
    package func now() -> Int64 { 1_700_000_000 }
    package func processName() -> String { "process 1 on host memory" }
}

extension MemoryFiles.State {
    fileprivate var used: Int { nodes.values.reduce(0) { $0 + $1.bytes.count } }

    fileprivate func node(_ file: Int32) throws(SystemError) -> MemoryFiles.Node {
        guard let node = open[file] else { throw SystemError(call: "fd", code: EBADF) }
        return node
    }
}
