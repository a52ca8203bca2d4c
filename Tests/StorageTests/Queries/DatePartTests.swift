import StorageDriver
import TestSupport
import Testing

@Suite("Parts of dates outside the calendar")
struct DatePartTests {
    @Test(arguments: [Int.min, Int.max, 9_223_372_036_854_775_000])
    func `an offset beyond all dates leads to the first or the last one`(_ offset: Int) throws {
        let year = try DatePart.year.value(of: .double(0), in: .offset(offset))
        expect(year, equals: .int(offset < 0 ? 1 : 9999))
    }

    @Test(arguments: [-Double.infinity, .infinity, .nan, -.greatestFiniteMagnitude, .greatestFiniteMagnitude])
    func `a date beyond the calendar counts as the first or the last instant in it`(_ seconds: Double) throws {
        let year = try DatePart.year.value(of: .double(seconds), in: .offset(0))
        expect(year, equals: .int(seconds < 0 ? 1 : 9999))
    }
}
