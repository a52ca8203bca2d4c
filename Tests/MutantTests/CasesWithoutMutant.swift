/// Cases that no mutant fails, and why none can.
enum CasesWithoutMutant {
    static let reasons: [String: String] = [:]
}
