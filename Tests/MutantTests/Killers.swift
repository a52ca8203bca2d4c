/// A case on each line, and mutants that it finds. `scripts/mutants` corrects this table.
let killers = """
    """
