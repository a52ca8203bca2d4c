public import ArgumentParser
public import StorageAPI
public import StorageCSV

extension Store.TextEncoding: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
