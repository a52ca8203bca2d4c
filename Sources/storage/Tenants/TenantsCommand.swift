import ArgumentParser

/// `storage tenants`.
struct TenantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants",
        abstract: "List, add, move and migrate the stores of tenants on many servers.",
        discussion: """
            The directory is a store that names the place of each tenant's store. Give each server an address with {tenant} in \
            place of the tenant's name, without a password: programs and the tool take it from PGPASSFILE, for example.

            Examples:
              storage tenants server sqlite:tenants.db first 'sqlite:/srv/first/{tenant}.db'
              storage tenants add tenants.db acme globex
              storage tenants list tenants.db
              storage tenants move tenants.db acme --to second
              storage tenants migrate tenants.db --lock Schema.lock
            """,
        subcommands: [
            TenantListCommand.self, TenantServerCommand.self, TenantAddCommand.self, TenantMoveCommand.self,
            TenantMigrateCommand.self,
        ])
}
