import ArgumentParser

/// The store and the model that a command is about.
struct ModelTarget: ParsableArguments {
    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(
        help: ArgumentHelp("The model's stored name.", valueName: "model"), completion: ModelCompletion.kind)
    var model: String
}

/// A command about one model of a store.
protocol ModelCommand {
    var target: ModelTarget { get }
}

extension ModelCommand {
    var store: StoreLocation { target.store }
    var model: String { target.model }
}
