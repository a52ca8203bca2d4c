import Foundation

/// The time that all threads of this process have used of a processor, in seconds.
func processor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func processorSeconds(_ body: () async throws -> Void) async rethrows -> Double {
    let began = processor()
    try await body()
    return processor() - began
}

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let began = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - began) / .seconds(1)
}

struct Times {
    var all: [Double] = []

    var mean: Double { all.reduce(0, +) / Double(max(all.count, 1)) }
    var median: Double { part(0.5) }
    var worst: Double { all.max() ?? 0 }
    func part(_ share: Double) -> Double {
        all.isEmpty ? 0 : all.sorted()[min(Int(Double(all.count) * share), all.count - 1)]
    }
}

func row(_ what: String, _ own: Double, _ other: Double, _ unit: String, scale: Double = 1, goal: String = "") {
    let ratio = other == 0 ? "" : String(format: "%.2f", own / other)
    let both = [own, other].map { String(format: "%.3f ", $0 * scale) + unit }
    print("| \(what) | \(both[0]) | \(both[1]) | \(ratio) | \(goal) |")
}

func header(_ other: String) {
    print("| | store | \(other) | ratio | goal |\n|---|---|---|---|---|")
}

func size(_ path: String) -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
        return sum + ((attributes?[.size] as? Int) ?? 0)
    }
}

func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
}
