import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver

/// A moment of a store's history as the command line names it.
struct PastMoment: ExpressibleByArgument {
    let moment: Store.Moment

    /// Nil for text that is no token, number or time.
    init?(argument text: String) {
        if let number = Int(text) {
            moment = .commit(number)
        } else if let token = Store.HistoryToken(text) {
            moment = .token(token)
        } else if let seconds = Self.seconds(text) {
            moment = .date(Date(timeIntervalSinceReferenceDate: seconds))
        } else {
            return nil
        }
    }

    static let help = ArgumentHelp(
        "Copy the store as it was after a commit: its number, its token, or a time, such as 2026-11-27T20:15:00+01:00. Without "
            + "a zone a time is UTC.", valueName: "moment")

    /// The seconds since the reference date of a time, which has a day and an hour.
    ///
    /// `storage log` prints milliseconds, and a commit may be within one: a time with a fraction includes all of its last
    /// digit.
    private static func seconds(_ text: String) -> Double? {
        guard text.contains(":"), let seconds = DateText.seconds(text) else { return nil }
        guard let point = text.firstIndex(of: ".") else { return seconds }
        let digits = text[text.index(after: point)...].prefix { ("0"..."9").contains($0) }.count
        return (seconds + pow(10, -Double(digits))).nextDown
    }

    /// A commit and its time, for a person.
    static func text(_ copy: Store.PastCopy) -> String {
        guard let time = copy.time else { return "commit \(copy.commit)" }
        return "commit \(copy.commit) of \(text(time))"
    }

    /// A time in UTC, with its milliseconds.
    static func text(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
