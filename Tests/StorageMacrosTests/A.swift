import Testing
@Suite struct X {
    @Test func `a model with its key`() {
        expectExpansion(
            """
            @Storable
            struct Pen {
                var id: Int?
                var color = "red"
            }
            """, "")
    }
    @Test func `a diag`() {
        expectExpansion(
            """
            @Storable
            struct Pen {
                var id: Int?
                @Ignored @Key let color = "red"
            }
            """, "")
    }
}
