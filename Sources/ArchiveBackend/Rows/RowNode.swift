internal import CArchive
internal import StorageDriver

/// Some pages that follow each other.
///
/// Unchecked: changed only by a tree that holds the one reference to it, as ``RowTree`` asks before each change.
final class RowNode: @unchecked Sendable {
    // Exclusivity is not checked at run time: no access lasts beyond one statement of this class, and none of its methods
    // calls out.
    @exclusivity(unchecked) private(set) var pages: [RowPage]
    /// For each page the prefix of its last row's key.
    @exclusivity(unchecked) private var prefixes: [UInt64]
    private let order: RowOrder

    static let maximumPages = 32

    /// A node with one page.
    init(_ page: RowPage, _ order: RowOrder) {
        (pages, prefixes) = ([page], [order.prefix(of: page.lastRow)])
        self.order = order
    }

    /// A node with some of the pages of another.
    init(_ other: RowNode, _ range: Range<Int>) {
        (pages, prefixes) = (Array(other.pages[range]), Array(other.prefixes[range]))
        order = other.order
    }

    /// A copy, which shares its pages.
    init(_ other: RowNode) {
        (pages, prefixes, order) = (other.pages, other.prefixes, other.order)
        fetchPages()
    }

    /// Has the pages brought near. The list of pages is copied by the change that follows, which counts a reference to each:
    /// in a large tree most are far away, and one by one they would be waited for.
    private func fetchPages() {
        // An array of objects has their addresses side by side, and prefetching does not read memory.
        pages.withUnsafeBytes { references in
            for place in stride(from: 0, to: references.count, by: MemoryLayout<UnsafeRawPointer>.stride) {
                carchive_prefetch(references.load(fromByteOffset: place, as: UnsafeRawPointer.self))
            }
        }
    }

    // MARK: Searching

    // A node and a page are never empty but inside one of the calls that change them.

    /// Returns whether the target is in this node or before it.
    @inline(__always)
    func reaches(_ search: KeySearch) -> Bool { reaches(search, prefixes.count - 1) }

    /// The first page with the target, in a node that has it.
    @inline(__always)
    func firstPage(_ search: KeySearch) -> Int {
        // The last page is known to.
        RowTree.firstIndex(prefixes.count - 1) { reaches(search, $0) }
    }

    @inline(__always)
    private func reaches(_ search: KeySearch, _ page: Int) -> Bool {
        search.isReached(by: prefixes[page]) { pages[page].lastRow }
    }

    /// The prefix of the last row's key.
    var lastPrefix: UInt64 { prefixes[prefixes.count - 1] }

    /// The last row of the last page.
    var lastRow: UnsafeRawPointer { pages[pages.count - 1].lastRow }

    // MARK: Changing

    func insert(_ row: UnsafeRawPointer, page: Int, at index: Int) {
        var (page, index) = (page, index)
        let size = RowFormat.size(of: row)
        while !pages[page].fits(size) {
            let count = pages[page].count
            if index == 0 { return insertPage(RowPage(row), at: page) }
            if index == count { return insertPage(RowPage(row), at: page + 1) }
            splitPage(page, at: count / 2)
            if index >= count / 2 {
                page += 1
                index -= count / 2
            }
        }
        mutablePage(page).insertCopy(of: row, at: index)
        noteLastRow(of: page)
    }

    /// Appends a row, unless the node is full.
    func append(_ row: UnsafeRawPointer) -> Bool {
        let last = pages.count - 1
        if pages[last].fits(RowFormat.size(of: row)) {
            let page = mutablePage(last)
            page.insertCopy(of: row, at: page.count)
            noteLastRow(of: last)
            return true
        }
        guard pages.count < Self.maximumPages else { return false }
        insertPage(RowPage(row, capacity: RowPage.fullBytes), at: last + 1)
        return true
    }

    func replace(_ row: UnsafeRawPointer, page: Int, at index: Int) {
        let size = RowFormat.size(of: row)
        if pages[page].count == 1 || size <= RowFormat.size(of: pages[page][index]) {
            mutablePage(page).replace(with: row, at: index)
        } else {
            mutablePage(page).remove(at: index)
            noteLastRow(of: page)
            insert(row, page: page, at: index)
        }
    }

    func remove(page: Int, at index: Int) {
        let changed = mutablePage(page)
        changed.remove(at: index)
        if changed.count == 0 {
            _ = removePage(page)
            return
        }
        if changed.liveBytes < RowPage.fullBytes / 4, page + 1 < pages.count,
            changed.liveBytes + pages[page + 1].liveBytes < RowPage.fullBytes * 3 / 4
        {
            let next = removePage(page + 1)
            for row in 0..<next.count { changed.insertCopy(of: next[row], at: changed.count) }
        }
        noteLastRow(of: page)
    }

    /// Leaves the first half of the pages here and returns a node with the others.
    func split() -> RowNode {
        let half = pages.count / 2
        let rest = RowNode(self, half..<pages.count)
        pages.removeSubrange(half...)
        prefixes.removeSubrange(half...)
        return rest
    }

    /// Moves the rows from an index on to a new page after this one.
    private func splitPage(_ page: Int, at index: Int) {
        let rest = RowPage(pages[page], index..<pages[page].count)
        pages[page] = RowPage(pages[page], 0..<index)
        noteLastRow(of: page)
        insertPage(rest, at: page + 1)
    }

    private func insertPage(_ page: RowPage, at index: Int) {
        pages.insert(page, at: index)
        prefixes.insert(order.prefix(of: page.lastRow), at: index)
    }

    private func removePage(_ index: Int) -> RowPage {
        prefixes.remove(at: index)
        return pages.remove(at: index)
    }

    private func noteLastRow(of page: Int) { prefixes[page] = order.prefix(of: pages[page].lastRow) }

    private func mutablePage(_ index: Int) -> RowPage {
        if !isKnownUniquelyReferenced(&pages[index]) {
            pages[index] = RowPage(pages[index])
        }
        return pages[index]
    }
}
