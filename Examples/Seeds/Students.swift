import Foundation
import KeyedArchives
import StorageKit

/// An article on arrays in Core Data, which keeps an array of objects as the bytes of a keyed archive.
enum StudentsPort {
    @Storable struct Student: Equatable {
        var id: Int
        var name: String
        var books: [Book] = []
    }

    @Storable struct Book: Equatable {
        @Key var bookID: Int
        var bookName: String
    }

    static func run(_ url: String) async throws {
        let store = try await open(url, [Student.self])
        let books = [Book(bookID: 121, bookName: "<老人与海2>"), Book(bookID: 121, bookName: "<老人与海2>")]
        try await store.insert([
            Student(id: 11, name: "张三2", books: books),
            Student(id: 23, name: "李四2", books: [Book(bookID: 242, bookName: "<飞鸟集>")]),
        ])
        let students = try await store.select(Student.self).order { $0.id.descending }.all()
        expect(students.map(\.id) == [23, 11] && students[1].books == books, "an array of objects is a property")
        let readers = try await store.select(Student.self).where { $0.books.any { $0.bookName.contains("老人") } }.all()
        expect(readers.map(\.id) == [11], "and queries see into it")

        // The bytes that the article keeps, in Foundation's own format, where a file of them is wanted.
        let archive = try KeyedArchive.encode(books)
        expect(try KeyedArchive.decode([Book].self, from: archive) == books, "the same array as a keyed archive")
        try await store.close()
    }
}
