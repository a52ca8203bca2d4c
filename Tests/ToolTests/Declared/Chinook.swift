import Foundation
import StorageKit

@Storable
struct Album {
    @Key @Field("AlbumId") var albumId: Int
    @Field("Title") var title: String
    @Field("ArtistId") var artistId: Ref<Artist>
}

@Storable
struct Artist {
    @Key @Field("ArtistId") var artistId: Int
    @Field("Name") var name: String?
}

@Storable
struct Customer {
    @Key @Field("CustomerId") var customerId: Int
    @Field("FirstName") var firstName: String
    @Field("LastName") var lastName: String
    @Field("Company") var company: String?
    @Field("Address") var address: String?
    @Field("City") var city: String?
    @Field("State") var state: String?
    @Field("Country") var country: String?
    @Field("PostalCode") var postalCode: String?
    @Field("Phone") var phone: String?
    @Field("Fax") var fax: String?
    @Field("Email") var email: String
    @Field("SupportRepId") var supportRepId: Ref<Employee>?
}

@Storable
struct Employee {
    @Key @Field("EmployeeId") var employeeId: Int
    @Field("LastName") var lastName: String
    @Field("FirstName") var firstName: String
    @Field("Title") var title: String?
    @Field("ReportsTo") var reportsTo: Ref<Employee>?
    @Field("BirthDate") var birthDate: Date?
    @Field("HireDate") var hireDate: Date?
    @Field("Address") var address: String?
    @Field("City") var city: String?
    @Field("State") var state: String?
    @Field("Country") var country: String?
    @Field("PostalCode") var postalCode: String?
    @Field("Phone") var phone: String?
    @Field("Fax") var fax: String?
    @Field("Email") var email: String?
}

@Storable
struct Genre {
    @Key @Field("GenreId") var genreId: Int
    @Field("Name") var name: String?
}

@Storable
struct Invoice {
    @Key @Field("InvoiceId") var invoiceId: Int
    @Field("CustomerId") var customerId: Ref<Customer>
    @Field("InvoiceDate") var invoiceDate: Date
    @Field("BillingAddress") var billingAddress: String?
    @Field("BillingCity") var billingCity: String?
    @Field("BillingState") var billingState: String?
    @Field("BillingCountry") var billingCountry: String?
    @Field("BillingPostalCode") var billingPostalCode: String?
    @Field("Total") var total: Decimal
}

@Storable
struct InvoiceLine {
    @Key @Field("InvoiceLineId") var invoiceLineId: Int
    @Field("InvoiceId") var invoiceId: Ref<Invoice>
    @Field("TrackId") var trackId: Ref<Track>
    @Field("UnitPrice") var unitPrice: Decimal
    @Field("Quantity") var quantity: Int
}

@Storable
struct MediaType {
    @Key @Field("MediaTypeId") var mediaTypeId: Int
    @Field("Name") var name: String?
}

@Storable
struct Playlist {
    @Key @Field("PlaylistId") var playlistId: Int
    @Field("Name") var name: String?
}

@Storable
struct PlaylistTrack {
    @Key @Field("PlaylistId") var playlistId: Int  // refers to Playlist
    @Key @Field("TrackId") var trackId: Int  // refers to Track
}

@Storable
struct Track {
    @Key @Field("TrackId") var trackId: Int
    @Field("Name") var name: String
    @Field("AlbumId") var albumId: Ref<Album>?
    @Field("MediaTypeId") var mediaTypeId: Ref<MediaType>
    @Field("GenreId") var genreId: Ref<Genre>?
    @Field("Composer") var composer: String?
    @Field("Milliseconds") var milliseconds: Int
    @Field("Bytes") var bytes: Int?
    @Field("UnitPrice") var unitPrice: Decimal
}
