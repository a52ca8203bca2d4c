import StorageDriver
import StorageSearch

extension StoreSearch {
    /// Compares the search indexes of a store with the texts of its records.
    func verify(
        _ tables: [TableSchema], in session: any StorageReader, _ body: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {
        let report = { (model: StoredName, key: [Value]?, difference: String) in
            body(StoreProblem(difference, model: model.text, key: key))
        }
        for model in try recorded(in: session)?.models ?? [] {
            guard !model.isLater else {
                report(model.name, nil, "A later version's analyzer has made the search index, so it is not compared.")
                continue
            }
            if SearchedModel(model.name, in: tables) == nil { continue }
            guard let searched = model.searched(in: tables) else {
                report(
                    model.name, nil,
                    "An earlier version made the search index; open the store for writing to make it anew.")
                continue
            }
            guard let number = model.ready else {
                report(model.name, nil, "The search index is not complete; rebuild it with rebuildSearch(of:).")
                continue
            }
            try verify(try OpenIndex(number, of: searched, self, in: session), session, report)
        }
    }

    private func verify(
        _ open: OpenIndex, _ session: any StorageSession, _ report: (StoredName, [Value]?, String) -> Void
    ) throws(StorageError) {
        let model = open.model
        var verification = try open.run { (index) throws(SearchFailure) in try SearchVerification(index) }
        let keys = RecordKeys(model, in: session, directory)
        var last: [Value]?
        while true {
            let part = try keys.part(after: last, 512)
            guard !part.isEmpty else { break }
            let found = try open.documents.read(KeyList(width: model.root.key.count, part))
            for key in part {
                guard let document = found[key] else {
                    report(model.name, key, "The record's texts cannot be read, so the index cannot be compared.")
                    continue
                }
                _ = try open.run { (_) throws(SearchFailure) in try verification.check(document) }
            }
            last = part.last
        }
        for difference in verification.finish() {
            switch difference {
            case .missing(let key):
                report(model.name, try OrderedKey.key(of: key), "The search index does not have the record.")
            case .different(let key):
                report(model.name, try OrderedKey.key(of: key), "The search index has other words than the record.")
            case .surplus(let document):
                report(
                    model.name, try open.keys(of: [document]).first, "The search index has a record that is not stored."
                )
            }
        }
    }
}
