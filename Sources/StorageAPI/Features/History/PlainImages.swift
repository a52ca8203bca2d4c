import StorageDriver
import Synchronization

/// Reads the images of a model without owned records whose schema has not changed since. Names are looked up once for all images with
/// the same names.
final class PlainImages: Sendable {
    /// The meaning of the names in an image.
    private struct Form: Sendable {
        /// The bytes before the values.
        let head: [UInt8]
        let width: Int
        let places: [ImageSession.Place]
    }

    /// More forms than records of one time have; of others the names are looked up each time.
    private static let most = 8

    private let handle: ModelHandle
    private let defaults: DeclaredDefaults
    /// The columns of a record; nil if the model has owned records.
    private let columns: [ColumnSchema]?
    /// The form that was used last comes first.
    private let forms = Mutex<[Form]>([])

    init(_ handle: ModelHandle, _ defaults: DeclaredDefaults) {
        (self.handle, self.defaults, columns) = (handle, defaults, handle.plainColumns)
    }

    /// The record of an image.
    ///
    /// - Returns: nil for an image that must be read in the general way, which may also report an error.
    /// - Throws: as ``ImageSession`` for a form that is new.
    func record(_ image: RecordImage, key: [Value]) throws(StorageError) -> DynamicRecord? {
        guard let columns else { return nil }
        let known = forms.withLock { forms -> Form? in
            guard let place = forms.firstIndex(where: { image.bytes.starts(with: $0.head) }) else { return nil }
            if place > 0 { forms.swapAt(0, place) }
            return forms[0]
        }
        if let known { return record(image, known) }
        guard let form = try form(of: image, key: key, columns) else { return nil }
        forms.withLock { forms in
            forms.insert(form, at: 0)
            if forms.count > Self.most { forms.removeLast() }
        }
        return record(image, form)
    }

    private func record(_ image: RecordImage, _ form: Form) -> DynamicRecord? {
        do throws(StorageError) {
            var reader = ImageReader(image.bytes, from: form.head.count)
            var row: [Value] = []
            row.reserveCapacity(form.width)
            for _ in 0..<form.width { row.append(try reader.value()) }
            // An owned row follows.
            guard reader.isAtEnd else { return nil }
            var values: [Value] = []
            values.reserveCapacity(form.places.count)
            for place in form.places {
                switch place {
                case .column(let column, let type):
                    guard let value = ValueConversion.convert(row[column], to: type) else { return nil }
                    values.append(value)
                case .value(let value): values.append(value)
                }
            }
            return handle.plainRecord(values)
        } catch {
            // The general way throws it.
            return nil
        }
    }

    private func form(
        of image: RecordImage, key: [Value], _ columns: [ColumnSchema]
    ) throws(StorageError) -> Form? {
        let session = try ImageSession(image, key: key, handle.tables, defaults: defaults, since: [])
        guard let places = try session.places(of: columns) else { return nil }
        // A default may be another one for each record.
        for case .value(let value) in places where !value.isNull { return nil }
        var reader = ImageReader(image.bytes)
        _ = try reader.byte()
        // The root has no path. A column has its role and its property.
        guard try reader.count() == 0 else { return nil }
        let width = try reader.count()
        for _ in 0..<width {
            _ = try reader.byte()
            _ = try reader.take()
        }
        guard try reader.count() == 1 else { return nil }
        return Form(head: Array(image.bytes.prefix(reader.position)), width: width, places: places)
    }
}
