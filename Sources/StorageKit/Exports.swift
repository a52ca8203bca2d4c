// An application imports StorageKit alone: this module adds the macros to everything that StorageAPI has.
@_exported public import StorageAPI
