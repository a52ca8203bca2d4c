// An application imports only StorageKit: this module adds JSON and the macros to StorageAPI.
@_exported public import StorageAPI
@_exported public import StorageJSON
