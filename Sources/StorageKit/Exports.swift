// An application imports only StorageKit: this module adds the macros to StorageAPI.
@_exported public import StorageAPI
