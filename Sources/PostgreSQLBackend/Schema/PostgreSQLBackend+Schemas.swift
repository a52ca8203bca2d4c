package import StorageDriver

extension PostgreSQLBackend {
    /// The schemas of the database that are stores, in alphabetical order.
    ///
    /// - Parameter pattern: a name, in which `*` stands for any characters and `?` for one.
    package func schemas(matching pattern: String) throws(StorageError) -> [String] {
        var like = ""
        for character in pattern {
            switch character {
            case "*": like += "%"
            case "?": like += "_"
            case "%", "_", "\\": like += "\\\(character)"
            default: like.append(character)
            }
        }
        var parameters = Parameters()
        parameters.add(plain: like)
        let found = try Connection(self).run(
            Statement(
                """
                SELECT n.nspname::text FROM pg_catalog.pg_namespace n
                WHERE n.nspname LIKE $1::text AND EXISTS (SELECT FROM pg_catalog.pg_class c
                  WHERE c.relnamespace = n.oid AND c.relname = 'storage_tables')
                ORDER BY n.nspname::text COLLATE "C"
                """, parameters))
        return (0..<found.count).compactMap { found.text($0) }
    }
}
