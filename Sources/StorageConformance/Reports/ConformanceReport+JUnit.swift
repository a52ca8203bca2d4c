extension ConformanceReport {
    /// The report as JUnit XML, for continuous integration: a suite of test cases, failures with their text, and
    /// refused or known failures as skipped, with the reason.
    public func junit(repeating command: (String) -> String) -> String {
        let failures = results.count { if case .failed = $0.outcome { $0.fails } else { false } }
        let errors = results.count { if case .harnessError = $0.outcome { true } else { false } }
        let name = "StorageConformance \(Conformance.v1.version), \(backend?.name ?? "no backend")"
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuite name=\"\(name.xml)\" tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"\(errors)\" "
                + "time=\"\(duration.seconds)\">",
            "  <properties><property name=\"seed\" value=\"\(options.seed)\"/></properties>",
        ]
        for result in results { lines += element(of: result, command) }
        return (lines + ["</testsuite>", ""]).joined(separator: "\n")
    }

    private func element(of result: ConformanceResult, _ command: (String) -> String) -> [String] {
        let group = result.test.id.prefix { $0 != "/" }
        let head = "  <testcase classname=\"\(String(group).xml)\" name=\"\(result.test.id.xml)\" "
        let open = head + "time=\"\(result.duration.seconds)\">"
        switch result.outcome {
        case .passed: return [String(open.dropLast()) + "/>"]
        case .refusedAsDeclared(let capability, let reason):
            return [
                open, "    <skipped message=\"\("lacks \(capability.rawValue): \(reason)".xml)\"/>", "  </testcase>",
            ]
        case .notProven(let reason):
            return [open, "    <skipped message=\"\("not proven: \(reason)".xml)\"/>", "  </testcase>"]
        case .knownFailure(let known, _):
            return [open, "    <skipped message=\"\("\(known.reason) (\(known.link))".xml)\"/>", "  </testcase>"]
        case .harnessError(let message):
            return [open, "    <error message=\"\(message.xml)\"/>", "  </testcase>"]
        case .failed(let failure):
            let text = failure.text(
                of: result, backend: backend?.name, seed: options.seed, repeating: command(result.test.id))
            let tag = result.isAdvisory ? "system-out" : "failure"
            let message = result.isAdvisory ? "" : " message=\"\(failure.message.xml)\""
            return [open, "    <\(tag)\(message)>\(text.xml)</\(tag)>", "  </testcase>"]
        }
    }
}

extension String {
    /// The text for XML 1.0, which cannot represent most control characters.
    fileprivate var xml: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
