import Foundation
import HTTPTypes
import Hummingbird
import StorageAPI
import StorageDriver
import StorageSync

// The pages, each read from the store and written.
extension Site {
    func overview() async throws -> HTML {
        let reading = try await reading()
        let page = OverviewPage(
            info: reading.store.info, location: store.name, schemas: reading.schemas, counts: reading.counts,
            history: try await reading.store.historyStatus(), replica: try await Replica.status(of: reading.store))
        return layout(reading, "Models").page { page.write(&$0) }
    }

    func records(_ parameters: Parameters) async throws -> HTML {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let request = TableRequest(schema.name, parameters: parameters, schema: schema)
        let layout = layout(reading, schema.name, model: schema.name, trail: [(schema.name, nil)])
        do {
            if request.records.search != nil {
                let content = try await SearchResults(request, schema: schema, store: reading.store)
                return layout.page { content.write(&$0) }
            }
            let page = try await request.records.page(of: reading.store, schema)
            let shown = Relation.all(of: schema).filter { request.records.columns?.contains($0.name) ?? true }
            var labels = try await Labels.load(
                for: page.rows, relations: shown, elements: RecordsPage.labelledElements, schemas: reading.schemas,
                store: reading.store)
            // Rows that a page adds come without the values, which it shows already.
            let facets =
                parameters["part"] == nil ? try await Facet.load(request, schema, in: reading.store) : []
            for facet in facets {
                guard let relation = facet.relation(schema) else { continue }
                try await labels.add(
                    Set(facet.values.map(\.value).filter { !$0.isNull }), of: relation.target,
                    schemas: reading.schemas,
                    store: reading.store)
            }
            let total = request.records.condition == nil ? reading.counts[schema.name] : nil
            let explanation = request.explains ? try await request.records.explanation(in: reading.store, schema) : nil
            let content = RecordsPage(
                request, schema: schema, page: page, labels: labels, facets: facets, total: total,
                explanation: explanation)
            return layout.page { content.write(&$0) }
        } catch let error as StorageError where error.isOf(request) {
            return layout.page { html in
                html.element("div", .class("heading")) { html in
                    html.element("h1") { $0.element("bdi", text: schema.name) }
                }
                Toolbar(request: request, schema: schema).write(&html)
                html.element("div", .class("problem"), .init("role", "alert")) { html in
                    html.element("p", text: error.message)
                }
            }
        }
    }

    /// The page of a record, and whether the record exists.
    func record(_ parameters: Parameters) async throws -> (HTML, Bool) {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let key = try schema.key(of: parameters.all("k"))
        let commit = parameters["at"].flatMap { Int($0) }
        let view = RecordPageView(view: try await RecordView.load(schema, key: key, asOf: commit, reading: reading))
        let trail = [
            (schema.name, Address("/records").adding("m", schema.name)), (view.title.shortened(60), Address?.none),
        ]
        let layout = layout(reading, view.title.shortened(60), model: schema.name, trail: trail)
        return (layout.page { view.write(&$0) }, view.view.record != nil)
    }

    func groups(_ parameters: Parameters) async throws -> HTML {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let request = GroupRequest(parameters, schema)
        let layout = layout(
            reading, "\(schema.name), groups", model: schema.name,
            trail: [(schema.name, Address("/records").adding("m", schema.name)), ("Groups", nil)])
        var (result, labels, problem) = (GroupResult(), Labels(), StorageError?.none)
        do {
            result = try await request.result(in: reading.store)
            if let key = request.key, let reference = key.reference {
                let keys = Set(result.bars.map(\.key).filter { !$0.isNull })
                try await labels.add(keys, of: reference.model, schemas: reading.schemas, store: reading.store)
            }
        } catch let error as StorageError where [.invalidQuery, .overflow, .limitExceeded].contains(error.code) {
            problem = error
        }
        let page = GroupsPage(
            request: request, schema: schema, result: result, labels: labels, total: reading.counts[schema.name],
            problem: problem)
        return layout.page { page.write(&$0) }
    }

    func schema(_ parameters: Parameters) async throws -> HTML {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let trail = [(schema.name, Address("/records").adding("m", schema.name)), ("Schema", Address?.none)]
        return layout(reading, "\(schema.name), schema", model: schema.name, trail: trail).page { html in
            SchemaPage(schema: schema, schemas: reading.schemas).write(&html)
        }
    }

    func history(_ parameters: Parameters) async throws -> HTML {
        let reading = try await reading()
        let schema = try parameters["m"].map { try reading.schema($0) }
        let history = try await RecordHistory.load(
            schema?.name, upTo: parameters["to"].flatMap { Int($0) }, reading.store)
        let page = HistoryPage(schema: schema, schemas: reading.schemas, history: history)
        let trail = [schema.map { ($0.name, Address("/records").adding("m", $0.name)) }, ("History", nil)]
        var layout = layout(reading, "History", model: schema?.name, trail: trail.compactMap(\.self))
        layout.isWholeHistory = schema == nil
        return layout.page { page.write(&$0) }
    }

    /// The number of the records that meet a condition, as a page shows it.
    func count(_ parameters: Parameters) async throws -> Response {
        let store = try await store.current()
        var records = store.records(parameters["m"] ?? "")
        if let condition = parameters["w"] { records = records.where(text: condition) }
        let text = try await records.count().counted("record")
        return Response(
            status: .ok, headers: Self.headers(type: "text/plain; charset=utf-8"),
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Returns proposals for the next word of a condition.
    func completion(_ parameters: Parameters) async throws -> Response {
        let reading = try await reading()
        let schema = try reading.schema(parameters["m"])
        let text = parameters["t"] ?? ""
        let end = parameters["p"].flatMap { Int($0) } ?? text.utf16.count
        let before = String(decoding: text.utf16.prefix(max(end, 0)), as: UTF16.self)
        var completion = Completion(after: before, schema, reading.schemas)
        if let wanted = completion.wanted, (reading.counts[schema.name] ?? .max) <= 200_000 {
            let found = try? await reading.store.records(schema.name)
                .where(text: "\(wanted.path) beginswith[c] ?", arguments: [.text(wanted.prefix)])
                .groups(by: [wanted.path], computing: [.count], order: [.init(column: 1, isDescending: true)], limit: 8)
            completion.add(
                values: found?.rows.compactMap { row in
                    guard case .text(let text) = row[0], case .int(let count) = row[1] else { return nil }
                    return (text, Int(count))
                } ?? [])
        }
        return Response(
            status: .ok, headers: Self.headers(type: "application/json"),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(completion))))
    }
}

extension StorageError {
    /// True if the page explains the error beside its form: a mistake in the condition, or a search whose index is incomplete.
    fileprivate func isOf(_ request: TableRequest) -> Bool {
        [.invalidQuery, .overflow, .limitExceeded].contains(code) || code == .busy && request.records.search != nil
    }
}
