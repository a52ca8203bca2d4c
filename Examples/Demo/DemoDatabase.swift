import Foundation

/// The place of the demo's database: a file of its own, since the demo truncates a table.
struct DemoDatabase {
    let path: String

    /// A file at a path where nothing may be.
    init(new path: String) throws(DemoError) {
        self.path = URL(fileURLWithPath: path).path
        guard !FileManager.default.fileExists(atPath: self.path) else {
            throw DemoError(
                "\(self.path) is there already, and the demo only works in a database of its own; "
                    + "name another path, or remove the file first.")
        }
    }

    /// A file in the temporary folder, where that of an earlier demo is removed.
    init(temporary name: String) throws(DemoError) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("storage-demo")
        path = folder.appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try removeEarlier()
        } catch {
            throw DemoError(
                "The folder \(folder.path) cannot be used (\(error.localizedDescription)); "
                    + "name another place: --database PATH")
        }
    }

    /// Removes an earlier database, and the files that a backend may have left beside it.
    private func removeEarlier() throws {
        for file in ["", "-wal", "-shm", "-journal", "-lock", ".tmp"].map({ path + $0 })
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    /// The bytes that the file takes.
    var size: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// The path as the shell takes it for one word.
    var shellPath: String {
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
        return isPlain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
