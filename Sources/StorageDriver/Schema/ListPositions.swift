/// The positions of the elements of an array of references. They ascend with gaps, so that an element between two
/// others moves none of them.
@usableFromInline
package enum ListPositions {
    /// The distance between two elements, if no element was inserted between them.
    package static let gap: Int64 = 1024

    /// The gap in which an element of a rewritten part is at least.
    package static let minimumGap: Int64 = 16

    /// The distance between the elements of an array of this length when it is written. A short one has no gaps: it is
    /// rewritten at its first insertion, which costs no more than a part of a long one.
    @inlinable
    package static func step(ofCount count: Int) -> Int { count > 64 ? 1024 : 1 }

    /// Positions after the first and before the second, evenly; nil without room. Nil stands for no element on that
    /// side.
    ///
    /// - Parameter least: the minimum distance between them.
    package static func between(_ low: Int64?, _ high: Int64?, count: Int, least: Int64 = 1) -> [Int64]? {
        guard let count = Int64(exactly: count), count < Int64.max else { return nil }
        let step: Int64
        let first: Int64
        switch (low, high) {
        case (let low?, let high?):
            let (distance, isBeyond) = high.subtractingReportingOverflow(low)
            step = (isBeyond ? Int64.max : distance) / (count + 1)
            guard step >= least, !low.addingReportingOverflow(step).overflow else { return nil }
            first = low + step
        case (let low?, nil):
            step = gap
            guard !low.addingReportingOverflow(step).overflow else { return nil }
            first = low + step
        case (nil, let high?):
            step = gap
            let (reach, isBeyond) = step.multipliedReportingOverflow(by: count)
            let (start, isBelow) = high.subtractingReportingOverflow(reach)
            guard !isBeyond, !isBelow else { return nil }
            first = start
        case (nil, nil):
            step = gap
            first = 0
        }
        var positions: [Int64] = []
        positions.reserveCapacity(Int(count))
        for index in 0..<count {
            let (way, isBeyond) = step.multipliedReportingOverflow(by: index)
            let (position, isAbove) = first.addingReportingOverflow(way)
            guard !isBeyond, !isAbove else { return nil }
            positions.append(position)
        }
        return positions
    }
}
