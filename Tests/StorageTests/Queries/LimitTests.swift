import Foundation
import StorageKit
import Testing

@Suite("E2 E4 How large a query may be")
struct QueryLimitTests {
    @Storable struct Tree: Equatable {
        var id: Int
        var value = 0
        var trees: [Tree] = []
    }

    private func expectSame(
        _ backend: Backend, _ levels: ClosedRange<Int>, passes: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Tree.Columns, Int) -> QueryExpression<Bool>
    ) async throws {
        try await withStore(backend) { (store) async throws in
            try await store.insert(Tree(id: 1, trees: [Tree(id: 2)]))
            for level in levels {
                let select = store.select(Tree.self).where { condition($0, level) }
                if level <= passes {
                    #expect(try await select.count() >= 0, "\(level)", sourceLocation: sourceLocation)
                    #expect(try await select.all().count <= 1, "\(level)", sourceLocation: sourceLocation)
                } else {
                    await expectError(.limitExceeded, "\(level)", sourceLocation: sourceLocation) {
                        try await select.count()
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `E4 and, or and not nest exactly as deep as declared`(_ backend: Backend) async throws {
        try await expectSame(backend, 60...85, passes: 75) { tree, levels in
            (0..<levels).reduce(tree.id == 1) { inner, level in
                switch level % 3 {
                case 0: tree.value == 0 && inner
                case 1: inner || tree.value == 1
                default: !inner
                }
            }
        }
        try await expectSame(backend, 60...85, passes: 67) { tree, levels in
            (0..<levels).reduce(tree.id == 1) { inner, level in
                level % 2 == 0 ? tree.value != 5 && inner && tree.id > 0 : tree.value > 3 || inner || tree.id.isIn([5])
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `E4 conditions that can fail nest as deep as declared`(_ backend: Backend) async throws {
        try await expectSame(backend, 10...22, passes: 18) { tree, levels in
            (0..<levels).reduce(tree.id + 1 == 2) { inner, level in
                level % 2 == 0 ? tree.value != 5 && inner && tree.id > 0 : tree.value > 3 || inner || tree.id == 7
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `E4 arithmetic nests as deep as declared`(_ backend: Backend) async throws {
        try await expectSame(backend, 10...18, passes: 15) { tree, levels in
            (0..<levels).reduce(tree.value) { inner, level in level % 2 == 0 ? 1 + inner : inner - 1 } == 0
        }
    }

    @Test(arguments: Backend.allCases)
    func `E4 conditions on children of children nest as deep as declared`(_ backend: Backend) async throws {
        func nested(_ tree: Tree.Columns, _ levels: Int) -> QueryExpression<Bool> {
            if levels == 0 { return tree.value == 0 && tree.id > 0 }
            switch levels % 3 {
            case 0: return tree.trees.any { $0.value == 0 && nested($0, levels - 1) }
            case 1: return tree.trees.all { nested($0, levels - 1) || $0.value == 3 }
            default: return tree.trees.count { nested($0, levels - 1) } > 0
            }
        }
        try await expectSame(backend, 1...9, passes: 6, nested)
    }

    @Test(arguments: Backend.allCases)
    func `E4 so many values and no more; in takes a million`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            try await store.insert([Tree(id: 1), Tree(id: 2, value: 16_000)])
            func chain(_ count: Int) -> Select<Tree, Store> {
                store.select(Tree.self).where { tree in (2...count).reduce(tree.value == 1) { $0 || tree.value == $1 } }
            }
            #expect(try await chain(16_000).keys() == [2])
            await expectError(.limitExceeded) { try await chain(16_001).keys() }
            // That it is true of them is a case of the suite.
            let many = Array(-500_000..<500_000)
            #expect(try await store.select(Tree.self).where { !$0.id.isIn(many) }.keys() == [])
        }
    }
}
