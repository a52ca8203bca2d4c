import Foundation
import StorageAPI
import StorageConformance
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Reports")
struct ReportTests {
    private func report(
        _ harness: some ConformanceHarness, _ prefix: String, seed: UInt64 = 5
    ) async -> ConformanceReport {
        let cases = Conformance.v1.cases.filter { $0.id.hasPrefix(prefix) }
        return await ConformanceRun(harness, cases: cases, options: ConformanceOptions(seed: seed)).results()
    }

    private let forgetful = FaultyHarness(backend: { FaultyBackend($0, .forgets) })

    @Test func `a run of no case does not pass, and says so`() async {
        let report = await report(FaultyHarness(), "none/")
        expect(!report.isPassed)
        expect(report.summary.contains("no case was run"))
    }

    @Test func `a passed run names backend, suite, seed and counts`() async {
        let report = await report(FaultyHarness(), "sharing/second-")
        expect(report.isPassed)
        expect(report.summary.hasPrefix("CONFORMS: memory, suite 1.0, seed 5. 2 cases: 2 refused as declared."))
        expect(report.text { $0 }.contains("refused as declared  sharing/second-store: lacks sharing. Memory belongs"))
    }

    @Test func `a failure's text has the rule, the Swift and the command that repeats it`() async {
        let text = await report(forgetful, "write/save-absent").text { "run --only \($0) --seed 5" }
        for part in [
            "DOES NOT CONFORM", "FAILED  write/save-absent", "rule W2.1: save stores the model",
            "try await store.save(Pen(id: 1, color: \"red\", price: nil))", "@Storable struct Pen {", "seed 5",
            "repeat: run --only write/save-absent --seed 5",
        ] { expect(text.contains(part), "\(part)") }
    }

    @Test func `JSON has every case with its outcome`() async throws {
        let data = try await report(forgetful, "write/").json()
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let results = try #require(object["results"] as? [[String: Any]])
        expect(object["isPassed"] as? Bool == false)
        expect(results.count, equals: Conformance.v1.cases.count { $0.id.hasPrefix("write/") })
        let failed = try #require(results.first { $0["id"] as? String == "write/save-absent" })
        expect(failed["outcome"] as? String == "failed")
        expect((failed["failure"] as? [String: Any])?["snippet"] != nil)
    }

    @Test func `JUnit XML is well formed and counts failures and skips`() async throws {
        let text = await report(forgetful, "sharing/").junit { $0 }
        expect(text.contains("<skipped message=\"lacks sharing: Memory belongs to one process.\"/>"))
        let failing = await report(forgetful, "write/").junit { $0 }
        expect(failing.contains("<failure message="))
        expect(!failing.contains("failures=\"0\""))
        let delegate = Counter()
        let parser = XMLParser(data: Data(failing.utf8))
        parser.delegate = delegate
        expect(parser.parse())
        expect(delegate.cases, equals: Conformance.v1.cases.count { $0.id.hasPrefix("write/") })
    }

    private final class Counter: NSObject, XMLParserDelegate {
        var cases = 0
        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) { if name == "testcase" { cases += 1 } }
    }

    @Test func `the order follows from the seed`() async {
        func order(_ seed: UInt64) async -> [String] {
            var ids: [String] = []
            let cases = Conformance.v1.cases.filter { $0.id.hasPrefix("set/") }
            let options = ConformanceOptions(seed: seed, parallelism: 1)
            let run = ConformanceRun(FaultyHarness(), cases: cases, options: options)
            _ = await run.results(progress: { result, _ in ids.append(result.test.id) })
            return ids
        }
        let first = await order(1)
        await expect(order(1), equals: first)
        await expect(order(2) != first)
    }
}

@Suite("Isolated cases")
struct IsolationTests {
    /// A case's process that does what the shell script says.
    private func outcome(_ script: String, deadline: Duration = .seconds(120)) async throws -> ConformanceOutcome {
        let test = try #require(Conformance.v1.cases.first)
        let command = HelperCommand(executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script, "sh"])
        return await IsolatedCases(command).run(test, ConformanceOptions(deadline: deadline)).outcome
    }

    @Test func `a crash is a failure of its case, with the last operation`() async throws {
        let outcome = try await outcome("echo 'operation try await store.insert(x)'; kill -SEGV $$")
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        expect(failure.message.contains("signal 11"))
        expect(failure.operations, equals: ["try await store.insert(x)"])
    }

    @Test func `a process that ends without an outcome is a failure`() async throws {
        try await expect(outcome("exit 3").name, equals: "failed")
    }

    @Test func `a program that is not there is a harness error`() async throws {
        let test = try #require(Conformance.v1.cases.first)
        let command = HelperCommand(executable: URL(fileURLWithPath: "/no/such/program"), arguments: [])
        await expect(IsolatedCases(command).run(test, ConformanceOptions()).outcome.name, equals: "harness error")
    }

    @Test func `the program runs a case in its own process`() async throws {
        let test = try #require(Conformance.v1.cases.first { $0.id == "write/insert-then-find" })
        let command = HelperCommand(
            executable: conformanceProgram, arguments: ["run", "--child", "--backend", "sqlite"])
        await expect(IsolatedCases(command).run(test, ConformanceOptions()).outcome.name, equals: "passed")
    }
}
