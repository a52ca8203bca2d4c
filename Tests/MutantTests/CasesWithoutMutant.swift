/// Cases that no mutant fails, and why none can.
enum CasesWithoutMutant {
    static let reasons: [String: String] = [
        "transactions/own-storage-error":
            "The store keeps the error of a transaction's body beside the engine, whatever the engine makes of it."
    ]
}
