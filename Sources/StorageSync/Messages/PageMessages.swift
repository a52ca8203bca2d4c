import StorageAPI
import StorageDriver

/// A replica's question for some records of a model, in the order of their keys.
struct PageRequest {
    var model: String
    /// The place after which the page begins, as the page before has told it; nil for the first.
    var after: String?
    /// The token of the page before, of any model: a hub that was restored from an older backup has other records.
    var latest: String?

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.page)
        writer.add(text: model)
        writer.add(optional: after)
        // A hub of the first version takes the first page's question.
        if latest != nil { writer.add(optional: latest) }
        return try SyncFrame.seal(writer)
    }

    init(model: String, after: String?, latest: String?) {
        (self.model, self.after, self.latest) = (model, after, latest)
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        model = try reader.text()
        after = try reader.optionalText()
        if !reader.isAtEnd { latest = try reader.optionalText() }
        try reader.requireEnd()
    }
}

/// Some records of a model, as they were at one commit of the hub.
struct PageAnswer {
    /// The mark of the question.
    var question: [UInt8]
    var token: String
    var commit: Int
    /// The number of the model's records; 0 on later pages, and for a part of a model.
    var total: Int
    /// The place after the page; nil for the last one.
    var next: String?
    /// The records in the portable binary form. A replica keeps the message, and makes the records when it takes them.
    private var data: [UInt8]
    let count: Int

    func records() throws(StorageError) -> [DynamicRecord] { try [DynamicRecord](recordBytes: data) }

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.pageAnswer)
        writer.add(raw: question)
        writer.add(text: token)
        writer.add(count: commit)
        writer.add(count: total)
        writer.add(optional: next)
        writer.add(data: data)
        return try SyncFrame.seal(writer)
    }

    init(question: [UInt8], token: Store.HistoryToken, total: Int, next: String?, records: [DynamicRecord]) {
        (self.question, self.token, commit) = (question, token.description, token.commit)
        (self.total, self.next) = (total, next)
        (data, count) = (records.recordBytes, records.count)
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        question = try reader.raw(SyncFrame.markCount)
        token = try reader.text()
        commit = try reader.number()
        total = try reader.number()
        next = try reader.optionalText()
        data = try reader.data()
        count = try DynamicRecord.count(inRecordBytes: data)
        try reader.requireEnd()
    }
}
