import ArgumentParser
import StorageAPI
import TerminalOutput

/// The demo, a program of its own, so that it is built without the tool and without the suite.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripts/demo",
        abstract: "Show every verb of the toolkit on real data: countries that own their cities.",
        discussion: """
            Loads the countries and cities of GeoNames, saves all of them in one call, then selects, updates, deletes \
            and truncates, each with the Swift lines that are run and a table of what comes of them. The database \
            stays, to be looked into.

            Examples:
              scripts/demo
              scripts/demo --backend archive
              scripts/demo --backend memory
              scripts/demo --data ~/geonames --database /tmp/world.db
            """)

    @Option(help: "The backend to store in.")
    var backend = BackendChoice.sqlite

    @Option(
        help: ArgumentHelp(
            """
            A folder with countries.json and cities500.json or cities15000.json; the larger is taken. (default: the sample of the project, with the 2,000 largest cities)
            """, valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The path of the new database, at which there is no file yet. (default: a new file in the temporary folder)",
            valueName: "path"))
    var database: String?

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        if database != nil, backend.fileName == nil {
            throw ValidationError("--database has no meaning with --backend \(backend.rawValue), which makes no file.")
        }
    }

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let report = Report()
        report.title("Countries and their cities, stored by the \(backend.rawValue) backend")
        let file = try makeDatabase()
        let countries = try await load(progress, report)
        report.fact("Database", file?.path ?? "none, since the \(backend.rawValue) backend makes no file")
        let store = try await backend.open(at: file?.path ?? "")
        try await Demo(store: store, countries: countries, report: report, progress: progress).run()
        if backend == .archive, let file { try await SizeComparison(file, report).run(store, countries) }
        try await store.close()
        showEnding(file, report)
    }

    private func load(_ progress: ProgressLine, _ report: Report) async throws -> [Country] {
        let folder = try GeoNamesFolder(path: data)
        report.fact("Data", "\(folder.url.path) (GeoNames, geonames.org, CC BY 4.0)")
        let (countries, time) = try await measured { try await folder.load(progress) }
        let tally = Tally(countries)
        report.fact(
            "Loaded",
            "\(tally.countries.grouped) countries, \(tally.cities.grouped) cities, "
                + "\(tally.alternateNames.grouped) alternate names in \(time.short)")
        return countries
    }

    private func makeDatabase() throws(DemoError) -> DemoDatabase? {
        if let database { return try DemoDatabase(new: database) }
        guard let name = backend.fileName else { return nil }
        return try DemoDatabase(temporary: name)
    }

    private func showEnding(_ file: DemoDatabase?, _ report: Report) {
        guard let file, let question = backend.question(to: file.shellPath) else { return }
        report.blank()
        report.say("The database is \(file.path) (\(file.size.grouped) bytes). Look into it:", indent: 0)
        report.blank()
        report.say(question, indent: 2)
    }
}
