// An application imports only StorageKit: this module adds JSON, CSV and the macros to StorageAPI.
@_exported public import StorageAPI
@_exported public import StorageCSV
@_exported public import StorageJSON
