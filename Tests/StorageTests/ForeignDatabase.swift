import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import Testing

/// Tables as other software declares them: Chinook's declarations, with some of its rows.
let chinook = [
    """
    CREATE TABLE [Artist] ([ArtistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
        CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId]))
    """,
    """
    CREATE TABLE [Album] ([AlbumId] INTEGER NOT NULL, [Title] NVARCHAR(160) NOT NULL, [ArtistId] INTEGER NOT NULL,
        CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
        FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION ON UPDATE NO ACTION)
    """,
    "CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId])",
    """
    CREATE TABLE [Invoice] ([InvoiceId] INTEGER NOT NULL PRIMARY KEY, [CustomerId] INTEGER NOT NULL,
        [InvoiceDate] DATETIME NOT NULL, [BillingCity] NVARCHAR(40), [Total] NUMERIC(10,2) NOT NULL)
    """,
    """
    CREATE TABLE [PlaylistTrack] ([PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
        CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]))
    """,
    "INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Accept'), (3, 'Antônio Carlos Jobim'), (4, NULL)",
    "INSERT INTO Album VALUES (1, 'For Those About To Rock', 1), (2, 'Balls to the Wall', 2), (4, 'Let There Be Rock', 1)",
    """
    INSERT INTO Invoice VALUES (1, 2, '2021-01-01 00:00:00', 'Stuttgart', 1.98), (2, 4, '2021-01-02 00:00:00', 'Oslo', 3.96),
        (3, 8, '2021-01-03 00:00:00', NULL, 2), (4, 14, '2021-01-06 13:30:00', 'Edmonton', 13.86)
    """,
    "INSERT INTO PlaylistTrack VALUES (1, 3402), (1, 3389), (8, 3402)",
]

/// Runs a test with the path of a database that other software has made.
@discardableResult
func withForeignDatabase<T>(
    _ statements: [String] = chinook, _ body: (String) async throws -> T
) async throws -> T {
    try await withDatabase { path in
        for statement in statements { try sqliteRun(path, statement) }
        return try await body(path)
    }
}

@Storable struct Artist: Equatable {
    @Key @Field("ArtistId") var id: Int
    @Field("Name") var name: String?
}

@Storable struct Album: Equatable {
    @Key @Field("AlbumId") var id: Int
    @Field("Title") var title: String
    @Field("ArtistId") @Indexed var artist: Int
}

@Storable struct Invoice: Equatable {
    @Key @Field("InvoiceId") var id: Int
    @Field("CustomerId") var customer: Int
    @Field("InvoiceDate") var date: Date
    @Field("BillingCity") var city: String?
    @Field("Total") var total: Decimal
}

@Storable struct PlaylistTrack: Equatable {
    @Key @Field("PlaylistId") var playlist: Int
    @Key @Field("TrackId") var track: Int
}

extension Date {
    /// The date of ISO 8601 text with a zone.
    init(_ text: String) throws {
        self = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }
}
