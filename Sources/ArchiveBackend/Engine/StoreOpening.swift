internal import Logging
internal import StorageDriver

/// Reads a store's file into tables.
struct StoreOpening {
    let configuration: ArchiveBackend
    let layer: any FileLayer
    let logger: Logger

    typealias Opened = (file: StoreFile, loader: StoreLoader)

    /// - Parameter begun: called before the first of the file's entries is taken.
    func open(begun: () -> Void = {}) throws(StorageError) -> Opened {
        configuration.access == .salvage ? try salvage() : try openWhole(begun)
    }

    private func openWhole(_ begun: () -> Void) throws(StorageError) -> Opened {
        var loader = StoreLoader()
        var hasBegun = false
        let (file, recovery) = try read { (entry) throws(StorageError) in
            if !hasBegun { begun() }
            hasBegun = true
            try loader.take(entry)
        }
        logger.debug(
            "store file opened",
            metadata: ["path": "\(file.path)", "commits": "\(recovery.commits)", "bytes": "\(file.size)"])
        return (file, loader)
    }

    private func salvage() throws(StorageError) -> Opened {
        var salvage = SalvageLoader(logger)
        let (_, recovery) = try read { (entry) throws(StorageError) in try salvage.prepare(entry) }
        guard salvage.knowsSchema || recovery == Recovery() else {
            throw StorageError(
                .corrupt,
                "\(configuration.path): no commit that is whole has the store's schema (STORE.plist), without which "
                    + "its records cannot be read; restore a backup.")
        }
        let file = try read { (entry) throws(StorageError) in try salvage.take(entry) }.0
        return (file, salvage.loader)
    }

    private func read(_ each: (Entry) throws(StorageError) -> Void) throws(StorageError) -> (StoreFile, Recovery) {
        try StoreFile.open(
            configuration.path, configuration.fileMode, options: configuration.fileOptions(), layer: layer,
            logger: logger,
            each: each)
    }
}
