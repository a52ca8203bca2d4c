// Models, queries and what else an application needs of the core. Whoever imports StorageAPI imports it.
@_exported public import StorageCore
