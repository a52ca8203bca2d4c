// The example of the article Relations: scripts/check-documents compares the two. It reads a database that other software
// made, Chinook, and makes music.db in the current folder.
// swift run RelationsExample Examples/Data/chinook/Chinook_Sqlite.sqlite

// RELATIONS-BEGIN
import Foundation
import SQLiteBackend
import StorageKit

@Storable struct Artist {
    var id: Int
    var name: String
}

@Storable struct Album {
    var id: Int
    var title: String
    // The albums are deleted with their artist.
    @Reference(onDelete: .cascade) var artist: Ref<Artist>
}

@Storable struct Track {
    var id: Int
    var name: String
    var seconds: Int
    @Reference(onDelete: .cascade) var album: Ref<Album>
}

@Storable struct Playlist {
    var id: Int
    var name: String
    // In order; a track can be in many playlists.
    @Reference(onDelete: .nullify) var tracks: [Ref<Track>] = []
}

extension Artist.Columns {
    var albums: Inverse<Album> { inverse(\.artist) }
}
extension Album.Columns { var tracks: Inverse<Track> { inverse(\.album) } }
extension Track.Columns {
    var playlists: Inverse<Playlist> { inverse(\.tracks) }
}
// RELATIONS-END

// Chinook's own tables, by the names of their columns. Its foreign keys are references.
@Storable("Artist") struct ChinookArtist {
    @Key @Field("ArtistId") var id: Int
    @Field("Name") var name: String?
}

@Storable("Album") struct ChinookAlbum {
    @Key @Field("AlbumId") var id: Int
    @Field("Title") var title: String
    @Field("ArtistId") var artist: Ref<ChinookArtist>
}

@Storable("Track") struct ChinookTrack {
    @Key @Field("TrackId") var id: Int
    @Field("Name") var name: String
    @Field("AlbumId") var album: Ref<ChinookAlbum>?
    @Field("Milliseconds") var milliseconds: Int
}

@Storable("PlaylistTrack") struct ChinookEntry {
    @Key @Field("PlaylistId") var playlist: Int
    @Key @Field("TrackId") var track: Int
}

@Storable("Playlist") struct ChinookPlaylist {
    @Key @Field("PlaylistId") var id: Int
    @Field("Name") var name: String?
}

guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: RelationsExample CHINOOK", to: &standardError)
    exit(64)
}
let chinook = try await Store(
    SQLiteBackend(path: path, isReadOnly: true), models: ChinookTrack.self, ChinookPlaylist.self)
let artists = try await chinook.select(ChinookArtist.self).all()
let albums = try await chinook.select(ChinookAlbum.self).all()
let tracks = try await chinook.select(ChinookTrack.self).where { $0.album != nil }.all()
let entries = Dictionary(grouping: try await chinook.select(ChinookEntry.self).all(), by: \.playlist)
let playlists = try await chinook.select(ChinookPlaylist.self).all()
let byAccept = try await chinook.select(ChinookAlbum.self).where { $0.artist.name == "Accept" }.all()
print("Chinook has \(byAccept.count) albums by Accept")
try await chinook.close()

let store = try await Store(SQLiteBackend(path: "music.db"), models: Track.self, Playlist.self)
try await store.transaction { tx in
    try tx.insert(artists.map { Artist(id: $0.id, name: $0.name ?? "") })
    try tx.insert(albums.map { Album(id: $0.id, title: $0.title, artist: Ref(key: $0.artist.key)) })
    try tx.insert(
        tracks.compactMap { track in
            track.album.map {
                Track(id: track.id, name: track.name, seconds: track.milliseconds / 1000, album: Ref(key: $0.key))
            }
        })
    try tx.insert(
        playlists.map { list in
            Playlist(id: list.id, name: list.name ?? "", tracks: (entries[list.id] ?? []).map { Ref(key: $0.track) })
        })
}

// USE-BEGIN
// Through references, and through their inverses.
let live = try await store.select(Album.self)
    .where {
        $0.artist.name.hasPrefix("A") && $0.tracks.any { $0.seconds > 600 }
    }
    .order { $0.title }
    .all()
let busy = try await store.select(Artist.self)
    .where { $0.albums.count > 10 }
    .order { $0.albums.count.descending }
    .all()

// Loaded together, by one read for each relation.
let some = store.select(Album.self).with(\.artist).limit(2)
for (album, artist) in try await some.all() {
    print("\(artist.name): \(album.title)")
}
let newest = try await store.select(Artist.self)
    .where { $0.name == "Iron Maiden" }
    .with(\.albums) {
        $0.order { $0.id.descending }.limit(3).with(\.tracks)
    }
    .all()
for (artist, albums) in newest {
    print(
        artist.name,
        albums.map { album, tracks in
            "\(album.title) (\(tracks.count) tracks)"
        })
}

// One by one, where there are many.
var seconds = 0
let whole = store.select(Album.self).with(\.artist).with(\.tracks)
for try await (_, _, tracks) in whole.stream() {
    seconds += tracks.reduce(0) { $0 + $1.seconds }
}
print("\(seconds / 3600) hours of music")

// References to a deleted record follow their rules, in the same call.
let before = try await store.select(Track.self).count()
// This deletes the albums and their tracks, also from every playlist.
try await store.delete(Artist.self, key: 1)
// USE-END
// LISTS-BEGIN
let named = store.select(Playlist.self).where { $0.name == "Music" }
if let music = try await named.first() {
    let tracks = store.list(\.tracks, of: music.ref)
    try await tracks.append(3)
    try await tracks.insert([4, 5], at: 0)
    try await tracks.move(from: 0, to: 9)
    try await tracks.remove(at: 7)
    let page = try await tracks.records(in: 100..<103)
    print(
        try await tracks.count(), try await tracks.contains(3),
        page.map(\.name))
}
// LISTS-END
print(live.count, busy.map(\.name), before - (try await store.select(Track.self).count()))
try await store.close()

struct StandardError: TextOutputStream {
    mutating func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
nonisolated(unsafe) var standardError = StandardError()
