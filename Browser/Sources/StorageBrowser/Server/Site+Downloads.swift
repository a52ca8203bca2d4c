import HTTPTypes
import Hummingbird
import ServiceLifecycle
import StorageAPI
import StorageDriver

// Records and values as files. A browser saves them: it neither shows them as a page nor runs anything in them.
extension Site {
    /// All records that meet the condition of a page, with its columns and in its order.
    ///
    /// Written while they are read, in one snapshot. An error after the beginning breaks the connection, so that the browser
    /// does not take a part for the whole.
    func export(_ parameters: Parameters) async throws -> Response {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        guard let format = ExportFormat(rawValue: parameters["f"] ?? "") else {
            throw StorageError(.notFound, "Records are exported as csv or json; the address needs f=csv or f=json.")
        }
        let request = TableRequest(schema.name, parameters: parameters, schema: schema).records
        let names = request.shown(schema).map(\.name)
        let records = request.sorted(reading.store, schema).only(names)
        // A mistake in the condition is a separate answer until the first byte is sent.
        _ = try await records.explain()
        let stream = records.stream()
        return Response(
            status: .ok, headers: Self.headers(file: schema.name, format.rawValue, type: format.mediaType),
            body: ResponseBody { writer in
                var export = RecordExport(format, names)
                for try await fields in stream.cancelOnGracefulShutdown() {
                    export.add(fields)
                    if let bytes = export.take(1 << 16) { try await writer.write(ByteBuffer(bytes: bytes)) }
                }
                try Task.checkCancellation()
                export.finish()
                if let bytes = export.take(1) { try await writer.write(ByteBuffer(bytes: bytes)) }
                try await writer.finish(nil)
            })
    }

    /// The bytes or the text of one value of a record.
    func value(_ parameters: Parameters) async throws -> Response {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let key = try schema.key(of: parameters.all("k"))
        let path = parameters.all("p")
        let record = try await record(
            schema, key: key, path, asOf: parameters["at"].flatMap { Int($0) }, in: reading.store)
        let file = ([schema.name] + schema.texts(key) + path).joined(separator: "-")
        switch record?.content(at: path) {
        case .value(.blob(let bytes), .data)?:
            let type = BlobType(of: bytes)
            return Response(
                status: .ok, headers: Self.headers(file: file, type.fileExtension, type: type.mediaType),
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .value(.text(let text), _)?:
            return Response(
                status: .ok, headers: Self.headers(file: file, "txt", type: "text/plain; charset=utf-8"),
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        default:
            throw StorageError(
                .notFound, "\(schema.name) has no bytes and no text at this path; open the record again.", key: key)
        }
    }

    private func record(
        _ schema: RecordSchema, key: [Value], _ path: [String], asOf commit: Int?, in store: Store
    ) async throws -> DynamicRecord? {
        if let commit { return try await RecordHistory.load(schema, key: key, store)?.record(asOf: commit) }
        guard let name = path.first, schema.property(name) != nil else { return nil }
        let tests = schema.keyProperties.map { "\($0.name.queryName) == ?" }.joined(separator: " and ")
        let found = store.records(schema.name).where(text: tests, arguments: key).limit(1).only([name])
        return try await found.all().first.map { DynamicRecord(model: schema.name, fields: $0) }
    }

    /// The headers of a file. A page can show it as a picture; by itself it is saved, and its content cannot be a page.
    private static func headers(file name: String, _ fileExtension: String, type: String) -> HTTPFields {
        var headers = headers(type: type)
        headers[.contentSecurityPolicy] = "default-src 'none'; sandbox; base-uri 'none'; frame-ancestors 'none'"
        headers[.contentDisposition] =
            "attachment; filename=\"\(name.fileName).\(fileExtension)\"; "
            + "filename*=UTF-8''\(Address.escaped(name.shortened(80))).\(fileExtension)"
        return headers
    }
}

extension String {
    /// The text as a part of a file's name that every system takes: letters and digits of ASCII, and lines for others.
    fileprivate var fileName: String {
        String(
            unicodeScalars.prefix(80).map { scalar in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                return isPlain ? Character(scalar) : "-"
            })
    }
}
