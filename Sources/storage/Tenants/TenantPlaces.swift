import ArgumentParser
import StorageJSON
import StorageTenants
import TerminalOutput

/// `storage tenants list`.
struct TenantListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the servers and tenants, and the moves that are not finished.")

    @OptionGroup var directory: DirectoryArgument

    @Flag(help: "Print a JSON object in each line: a server or a tenant.")
    var json = false

    /// The column of addresses, which are shown whole.
    private static let address = TextTable.Column("Address", limit: .max)

    func run() async throws {
        let (servers, tenants) = try await directory.with { directory in
            (try await directory.servers(), try await directory.tenants())
        }
        if json { return printJSON(servers, tenants) }
        var table = TextTable("Server", .number("Tenants"), "New ones", Self.address)
        for server in servers {
            table.add(server.name, server.tenants.grouped, server.takesTenants ? "yes" : "no", server.address.printable)
        }
        for line in table.lines { print(line) }
        print("")
        table = TextTable("Tenant", "Server", "Move", Self.address)
        for tenant in tenants {
            let move = tenant.move.map { "\($0.state.rawValue), to \($0.server ?? $0.address)" }
            table.add(tenant.tenant, tenant.server ?? "–", move ?? "–", tenant.address.printable)
        }
        for line in table.lines { print(line) }
    }

    private func printJSON(_ servers: [TenantDirectory.Server], _ tenants: [TenantDirectory.Entry]) {
        for server in servers {
            let line: KeyValuePairs<String, JSONValue> = [
                "server": .string(server.name), "address": .string(server.address),
                "takesTenants": .bool(server.takesTenants), "tenants": .number("\(server.tenants)"),
            ]
            print(JSONValue.object(line).text)
        }
        for tenant in tenants {
            let line: KeyValuePairs<String, JSONValue> = [
                "tenant": .string(tenant.tenant), "server": tenant.server.map(JSONValue.string) ?? .null,
                "address": .string(tenant.address), "version": .number("\(tenant.version)"),
                "move": tenant.move.map { .string($0.state.rawValue) } ?? .null,
                "moveServer": tenant.move?.server.map(JSONValue.string) ?? .null,
            ]
            print(JSONValue.object(line).text)
        }
    }
}

/// `storage tenants server`.
struct TenantServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Add a server to the directory, or change one.",
        discussion: """
            A changed address is for tenants that are added or moved to it later. A directory is made if its backend is named.
            """)

    @OptionGroup var directory: DirectoryArgument

    @Argument(help: "The name of the server.")
    var name: String

    @Argument(help: "The address of a tenant's store, with {tenant} in place of the tenant's name.")
    var address: String

    @Flag(help: "Place no new tenants on it.")
    var full = false

    func run() async throws {
        try await directory.with(.making) { directory in
            try await directory.setServer(name, at: address, takesTenants: !full)
        }
    }
}

/// `storage tenants add`.
struct TenantAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add tenants, each on the server that has the fewest.")

    @OptionGroup var directory: DirectoryArgument

    @Argument(help: "The names of the tenants: lowercase letters, digits, hyphens and underscores.")
    var tenants: [String]

    @Option(help: ArgumentHelp("The server on which they are.", valueName: "server"))
    var to: String?

    @Option(help: ArgumentHelp("The address of an existing store, of one tenant.", valueName: "url"))
    var at: String?

    func validate() throws {
        guard !tenants.isEmpty else { throw ValidationError("Name one tenant at least.") }
        guard at == nil || tenants.count == 1 && to == nil else {
            throw ValidationError("--at is the address of one tenant, and of no server.")
        }
    }

    func run() async throws {
        try await directory.with { directory in
            for tenant in tenants {
                let entry: TenantDirectory.Entry
                if let at {
                    entry = try await directory.add(tenant, at: at)
                } else if let to {
                    entry = try await directory.add(tenant) { _ in to }
                } else {
                    entry = try await directory.add(tenant)
                }
                print("\(tenant): \(entry.server ?? entry.address.printable)")
            }
        }
    }
}
