// The names of the driver interface that an application needs. Authors of engines import StorageDriver for the others.
@_exported public import struct StorageDriver.BackendInfo
@_exported public import enum StorageDriver.ColumnType
@_exported public import enum StorageDriver.DeleteRule
@_exported public import struct StorageDriver.QueryExplanation
@_exported public import protocol StorageDriver.StorageBackend
@_exported public import struct StorageDriver.StorageError
@_exported public import struct StorageDriver.StorageURL
@_exported public import struct StorageDriver.TextFolding
@_exported public import enum StorageDriver.Value
@_exported public import struct StorageSearch.SearchExcerpt
@_exported public import struct StorageSearch.SearchQuery
