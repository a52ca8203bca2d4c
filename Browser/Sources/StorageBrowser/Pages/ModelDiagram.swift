import StorageAPI

/// The models that refer to each other, as a drawing: one below the other, so that it is readable on a phone, each with its
/// references, and beside them a line for each model that is referred to.
struct ModelDiagram {
    private struct Box {
        let name: String
        let top: Int
        let relations: [Relation]

        var height: Int { ModelDiagram.titleHeight + relations.count * ModelDiagram.rowHeight + 6 }
        var middle: Int { top + ModelDiagram.titleHeight / 2 }
        /// The middle of a reference's row.
        func middle(_ row: Int) -> Int {
            top + ModelDiagram.titleHeight + row * ModelDiagram.rowHeight + ModelDiagram.rowHeight / 2
        }
    }

    /// The line to a model, from all that refer to it.
    private struct Line {
        let target: Box
        let starts: [Int]
        var lane = 0

        var top: Int { min(target.middle, starts.min() ?? target.middle) }
        var bottom: Int { max(target.middle, starts.max() ?? target.middle) }
    }

    private static let (titleHeight, rowHeight, gap, laneWidth) = (30, 22, 12, 13)
    private static let boxWidth = 190
    /// The most models that a page draws.
    private static let most = 60

    private let boxes: [Box]
    private let lines: [Line]
    private let laneCount: Int

    init(_ schemas: [RecordSchema]) {
        let models = Self.ordered(schemas).prefix(Self.most)
        let names = Set(models.map(\.name))
        var boxes: [Box] = []
        var top = 1
        for model in models {
            let relations = Relation.all(of: model).filter { names.contains($0.target) }
            let box = Box(name: model.name, top: top, relations: relations)
            top += box.height + Self.gap
            boxes.append(box)
        }
        self.boxes = boxes
        var lines: [Line] = boxes.compactMap { target in
            let starts = boxes.flatMap { box in
                box.relations.enumerated().filter { $0.element.target == target.name }.map {
                    box.middle($0.offset)
                }
            }
            return starts.isEmpty ? nil : Line(target: target, starts: starts)
        }
        lines.sort { $0.bottom - $0.top < $1.bottom - $1.top }
        // Short lines are next to the models, and a lane has several lines if they do not meet.
        var lanes: [[ClosedRange<Int>]] = []
        for index in lines.indices {
            let range = lines[index].top - 4...lines[index].bottom + 4
            let free = lanes.firstIndex { lane in lane.allSatisfy { !$0.overlaps(range) } }
            if free == nil { lanes.append([]) }
            let lane = free ?? lanes.count - 1
            lanes[lane].append(range)
            lines[index].lane = lane
        }
        self.lines = lines
        laneCount = lanes.count
    }

    /// The models with references, each after the models that it refers to as far as that is possible.
    private static func ordered(_ schemas: [RecordSchema]) -> [RecordSchema] {
        let relations = Dictionary(
            schemas.map { ($0.name, Relation.all(of: $0)) }, uniquingKeysWith: { first, _ in first })
        let targets = Set(relations.values.flatMap { $0.map(\.target) })
        let byName = Dictionary(schemas.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var (seen, found) = (Set<String>(), [RecordSchema]())
        func visit(_ schema: RecordSchema) {
            guard seen.insert(schema.name).inserted else { return }
            let own = relations[schema.name] ?? []
            for relation in own { byName[relation.target].map(visit) }
            if !own.isEmpty || targets.contains(schema.name) { found.append(schema) }
        }
        for schema in schemas { visit(schema) }
        return found
    }

    // MARK: Drawing

    func write(_ html: inout HTML) {
        guard let last = boxes.last else { return }
        let width = Self.boxWidth + 18 + laneCount * Self.laneWidth
        let height = last.top + last.height + 1
        html.element("section", .class("diagram"), .init("aria-label", "References")) { html in
            html.element("h2", text: "References")
            html.element(
                "svg", .init("viewBox", "0 0 \(width) \(height)"), .init("width", "\(width)"),
                .init("height", "\(height)"),
                .init("role", "group"), .init("aria-label", "Models and their references")
            ) { html in
                html.element("g", .init("aria-hidden", "true")) { html in
                    for line in lines { draw(line, &html) }
                }
                for box in boxes { draw(box, &html) }
            }
        }
    }

    private func draw(_ box: Box, _ html: inout HTML) {
        html.element(
            "rect", .class("box"), .init("x", "1"), .init("y", "\(box.top)"), .init("rx", "7"),
            .init("width", "\(Self.boxWidth)"), .init("height", "\(box.height)"), text: "")
        link(
            box.name, to: Address("/records").adding("m", box.name), at: box.middle, css: "model",
            label: box.name, &html)
        for (row, relation) in box.relations.enumerated() {
            link(
                relation.path + (relation.isArray ? " […]" : ""),
                to: Address("/records").adding("m", relation.target),
                at: box.middle(row), css: "", label: "\(relation.path) refers to \(relation.target)", &html)
        }
    }

    private func link(
        _ text: String, to address: Address, at y: Int, css: String, label: String, _ html: inout HTML
    ) {
        html.element("a", .href(address), .init("aria-label", label)) { html in
            html.element("title", text: label)
            html.element(
                "text", .class(css), .init("x", css.isEmpty ? "22" : "12"), .init("y", "\(y)"),
                .init("dominant-baseline", "central"), text: text.shortened(css.isEmpty ? 25 : 23))
        }
    }

    private func draw(_ line: Line, _ html: inout HTML) {
        let (start, x) = (Self.boxWidth + 1, Self.boxWidth + 14 + line.lane * Self.laneWidth)
        html.element("g", .class("line lane-\(line.lane % 4)")) { html in
            for y in line.starts {
                // Around a corner into the lane, and around another one to the model.
                let (step, end) = (line.target.middle < y ? -6 : 6, line.target.middle)
                let path =
                    "M\(start),\(y) H\(x - 6) q6,0 6,\(step) V\(end - step) q0,\(step) -6,\(step) H\(start + 5)"
                html.element("path", .init("d", path), text: "")
            }
            let y = line.target.middle
            html.element(
                "polygon", .init("points", "\(start),\(y) \(start + 7),\(y - 4) \(start + 7),\(y + 4)"),
                text: "")
        }
    }
}
