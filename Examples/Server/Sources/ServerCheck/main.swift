// Writes notes to a NotesServer under load, stops it in the middle, starts it again, and looks whether every note is there
// that was acknowledged.
//
//   ServerCheck SERVER STORE-URL [--kill] [--notes N] [--clients N]
import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: ServerCheck SERVER STORE-URL [--kill] [--notes N] [--clients N]")
    exit(64)
}

func number(_ name: String, _ usual: Int) -> Int {
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return usual }
    return Int(arguments[place + 1]) ?? usual
}

let check = Check(
    program: ServerProgram(executable: arguments[1], url: arguments[2]), isKilled: arguments.contains("--kill"),
    notes: number("--notes", 2000), clients: number("--clients", 16))
let outcome = try await check.run()
print("\(arguments[2].prefix { $0 != ":" }): \(outcome.summary)")
for failure in outcome.failures { print(failure) }
exit(outcome.failures.isEmpty ? 0 : 1)
