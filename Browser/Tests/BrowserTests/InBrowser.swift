import Testing

/// Shows a store in a new browser, and ends both afterwards.
func inBrowser(
    _ store: String, _ body: (WebDriver, ShownPages) async throws -> Void
) async throws {
    let pages = try await ShownPages(store)
    let driver = try await WebDriver()
    do {
        try await driver.open(pages.entrance)
        try await driver.wait(for: "document.querySelector('#main h1')")
        try await body(driver, pages)
    } catch {
        await driver.quit()
        await pages.end()
        throw error
    }
    await driver.quit()
    #expect(await pages.end() == 0)
}
