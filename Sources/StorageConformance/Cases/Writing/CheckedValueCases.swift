internal import Foundation
internal import StorageAPI

extension Conformance {
    /// W10: what save refuses is refused by every other way in.
    static let checkedValueCases: [ConformanceCase] = [
        ConformanceCase(
            "write/unstorable-set", for: [.w10: [1]],
            "A partial update refuses what save refuses, whether or not a record is met."
        ) { t in
            let (store, base, relative) = try await links(t)
            try await t.expectError(.invalidValue) { try await store.save(Holder(id: 1, value: relative)) }
            func expect(_ update: @Sendable (Update<Holder<URL>, Store>) -> Update<Holder<URL>, Store>) async throws {
                for key in [1, 9] {
                    let error = try await t.expectError(.invalidValue) {
                        try await store.update(Holder<URL>.self) { update($0.where { $0.id == key }) }
                    }
                    try t.expect(error.message.contains("absoluteURL"), error.message)
                }
            }
            try await expect { $0.set(\.value, to: relative) }
            try await expect { $0.set(\.optional, to: relative) }
            try await expect { $0.set(\.list, to: [base, relative]) }
            try await expect { $0.set(\.optionals, to: [nil, relative]) }
            try await expect { $0.set(\.optionalList, to: [relative]) }
            try await expect { $0.set(\.optional, to: nil).set(\.value, to: relative) }
            try await t.expectError(.invalidValue) {
                try await store.store.records("Holder").set("optional", to: Value(relative)).run()
            }
            try t.expect(try await store.all(Holder<URL>.self), equals: [link(base)])
        },
        ConformanceCase(
            "write/unstorable-filter", for: [.w10: [1]],
            "A filter by a value that save refuses is refused, in every form."
        ) { t in
            let (store, base, relative) = try await links(t)
            func expect(_ filter: @Sendable (Select<Holder<URL>, Store>) -> Select<Holder<URL>, Store>) async throws {
                let query = store.select(Holder<URL>.self, filter)
                try await t.expectError(.invalidValue) { try await query.all() }
                try await t.expectError(.invalidValue) { try await query.count() }
            }
            try await expect { $0.where { $0.value == relative } }
            try await expect { $0.where { $0.optional != relative } }
            try await expect { $0.where { !(relative == $0.value) } }
            try await expect { $0.where { $0.value.isIn([base, relative]) } }
            try await expect { $0.where { $0.optional.isIn([nil, relative]) } }
            try await expect { $0.where { $0.list.contains(relative) } }
            try await expect { $0.where { $0.list == [relative] } }
            try await expect { $0.where(text: "value == ?", relative) }
            try await expect { $0.where(text: "value in ?", [base, relative]) }
            try await expect { $0.where(#Predicate { $0.value == relative }) }
            try await t.expectError(.invalidValue) {
                try await store.delete(Holder<URL>.self) { $0.where { $0.optional == relative } }
            }
            try t.expect(try await store.all(Holder<URL>.self), equals: [link(base)])
        },
        ConformanceCase(
            "write/unstorable-key", for: [.w10: [2]],
            "A key of another form than the model's is refused where records have no type."
        ) { t in
            let store = try await t.open(Keyed<Int8>.self)
            try await store.insert(Keyed(id: 1 as Int8, note: "kept"))
            let records = store.store.records("Keyed")
            for key in [.text("1"), .int(300), .null, .double(1), .unsigned(.max)] as [Value] {
                t.note("try await store.records(\"Keyed\").find(key: [.\(key)])")
                try await t.expectError(.invalidValue) { try await records.find(key: [key]) }
                try await t.expectError(.invalidValue) { try await records.delete(keys: [[.int(1)], [key]]) }
            }
            try await t.expectError(.invalidQuery) { try await records.find(key: [.int(1), .int(1)]) }
            try t.expect(try await store.all(Keyed<Int8>.self), equals: [Keyed(id: 1, note: "kept")])
        },
    ]

    private static func link(_ url: URL) -> Holder<URL> { Holder(id: 1, value: url, optional: url, list: [url]) }

    /// A store with one record, its URL, and one that cannot be kept.
    private static func links(_ t: Trial) async throws -> (RecordedStore, base: URL, relative: URL) {
        let base = try t.required(URL(string: "https://example.com/a"))
        let relative = try t.required(URL(string: "b", relativeTo: base))
        let store = try await t.open(Holder<URL>.self)
        try await store.insert(link(base))
        return (store, base, relative)
    }
}
