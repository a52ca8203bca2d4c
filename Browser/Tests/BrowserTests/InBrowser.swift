import Foundation
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

extension WebDriver {
    private static let sizes = [(width: 1280, height: 860), (width: 390, height: 844)]

    /// Shows a page in each size, light and dark, keeps a picture of it, and expects no message on the console, nothing
    /// wider than the screen, and no violation of the rules of axe.
    func look(at address: String, as name: String) async throws {
        for isDark in [false, true] {
            for size in Self.sizes {
                try await look(width: size.width, height: size.height, isDark: isDark)
                try await open(address)
                try await wait(for: "document.readyState == 'complete'")
                let wide = try await number("return document.documentElement.scrollWidth - innerWidth")
                #expect(wide <= 0, "\(name) is \(wide) points wider than \(size.width)")
                let steps = "[...document.querySelectorAll('.trail > *')]"
                let hidden =
                    "return \(steps).filter((step) => step.clientWidth < Math.min(step.scrollWidth, 40)).length"
                #expect(try await number(hidden) == 0, "\(name), \(size.width): steps of the trail are not seen")
                for violation in try await violations() {
                    Issue.record("\(name), \(size.width): \(violation)")
                }
                let place = "\(Places.screenshots)/\(name)-\(size.width)\(isDark ? "-dark" : "").png"
                try await screenshot().write(to: URL(fileURLWithPath: place))
            }
        }
        // A record that does not exist is a page too, of status 404.
        #expect(try await console().filter { !$0.contains("status of 404") } == [])
        try await look(width: 1280, height: 860, isDark: false)
    }
}
