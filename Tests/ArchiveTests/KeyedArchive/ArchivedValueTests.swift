import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import Testing

@Suite("Archives of other software as values")
struct ArchivedValueTests {
    private func fixture(_ name: String) throws -> [UInt8] {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/KeyedArchives/\(name)", withExtension: nil))
        return [UInt8](try Data(contentsOf: url))
    }

    private func entry(_ key: String, _ value: ArchivedValue) -> ArchivedValue.Entry {
        ArchivedValue.Entry(key: .string(key), value: value)
    }

    @Test func `nested collections of a binary archive are read`() throws {
        let value = try ArchivedValue(archive: try fixture("NSKeyedUnarchiver-ComplexTest.plist"))
        let uuid: [UInt8] = [
            0x71, 0xDC, 0x06, 0x8E, 0x34, 0x20, 0x45, 0xFF, 0x91, 0x9E, 0x3A, 0x26, 0x7D, 0x55, 0xEC, 0x22,
        ]
        #expect(
            value
                == .dictionary([
                    entry(
                        "array",
                        .array([
                            .null, .string("hello"), .int(34545), .dictionary([entry("key", .string("val"))]),
                        ])), entry("string", .string("hello")),
                    entry("url", .url("index.xml", base: "https://www.swift.org")), entry("uuid", .uuid(uuid)),
                ]))
    }

    @Test func `an XML archive is read`() throws {
        #expect(
            try ArchivedValue(archive: try fixture("NSKeyedUnarchiver-ArrayTest.plist"))
                == .array([.string("baa"), .string("baa"), .string("black"), .string("sheep")]))
        #expect(
            try ArchivedValue(archive: try fixture("NSKeyedUnarchiver-URLTest.plist"))
                == .url("foo.xml", base: "https://www.example.com"))
    }

    @Test func `sets and ordered sets written on macOS are read`() throws {
        #expect(
            try ArchivedValue(archive: try fixture("NSSet-Numbers.archive"))
                == .set([.int(3), .int(2), .int(5), .int(1), .int(4)]))
        #expect(
            try ArchivedValue(archive: try fixture("NSOrderedSet-Numbers.archive"))
                == .array([.int(1), .int(2), .int(3), .int(4), .int(5)]))
    }

    @Test(arguments: ["primitives.bin", "primitives.xml"])
    func `several roots are read`(name: String) throws {
        let roots = try ArchivedValue.roots(of: try fixture(name))
        #expect(roots.count == 12)
        #expect(roots["$0"] == .int(1))
        #expect(roots["$2"] == .real(1))
        #expect(roots["$4"] == .data(Array("asdfasdfadsfadsf".utf8)))
        #expect(roots["$5"] == .bool(true))
        #expect(roots["$8"] == .string("Hello, World!"))
        #expect(roots["$11"] == .int(42))
        #expect(code { try ArchivedValue(archive: try fixture(name)) } == .corrupt)
    }

    @Test func `the binary and the XML form of an archive are equal`() throws {
        let value = try ArchivedValue(archive: try fixture("dict.bin"))
        #expect(try ArchivedValue(archive: try fixture("dict.xml")) == value)
        #expect(
            value
                == .dictionary([
                    entry("int", .int(1)), entry("string", .string("string")),
                    entry("array", .array([.bool(true), .string("Hello, World!"), .int(42)])),
                ]))
    }

    @Test(arguments: [
        "missing_archiver.xml", "missing_objects.xml", "missing_top.xml", "wrong_archiver.xml", "wrong_version.xml",
        "broken_plist.xml",
    ])
    func `a damaged archive is refused`(name: String) throws {
        let archive = try fixture(name)
        #expect(code { try ArchivedValue(archive: archive) } == .corrupt)
        #expect(code { try KeyedArchive.decode(Reader.self, from: archive) } == .corrupt)
    }

    @Test func `our own archive keeps its class and keys`() throws {
        let archive = try KeyedArchive.encode(Desk(id: 4, spare: Pencil(id: 2, color: "blue")))
        guard case .object("Desk", let fields) = try ArchivedValue(archive: archive) else {
            Issue.record("no object")
            return
        }
        #expect(Set(fields.keys) == ["id", "best", "spare", "pencils", "drawer"])
        #expect(fields["id"] == .int(4))
        #expect(fields["drawer"] == .null)
        #expect(fields["pencils"] == .array([]))
        #expect(
            fields["spare"]
                == .object(className: "Pencil", fields: ["id": .int(2), "color": .string("blue"), "parts": .array([])]))
    }

    @Test func `XML with entities of its own is refused`() {
        let text = """
            <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaa">]><plist version="1.0"><string>&a;</string></plist>
            """
        #expect(code { try ArchivedValue(archive: Array(text.utf8)) } == .corrupt)
    }

    /// An archive in XML whose root is this element.
    private func xml(_ root: String) -> [UInt8] {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- one -->
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><!-- two --><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$version</key><integer>100000</integer>
            <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <key>$objects</key><array><string>$null</string><!-- three -->\(root)</array></dict></plist>
            """
        return Array(text.utf8)
    }

    @Test(
        arguments: [
            ("<string>a &lt;b&gt; &amp;amp; &quot;c&quot; &apos;</string>", .string("a <b> &amp; \"c\" '")),
            ("<string>&#228;&#x1F600;&#xE4;</string>", .string("\u{E4}\u{1F600}\u{E4}")),
            ("<string>x<![CDATA[<b> &amp; ]]]]><![CDATA[>]]>y</string>", .string("x<b> &amp; ]]>y")),
            ("<string>one<!-- <b> & -->two</string>", .string("onetwo")), ("<string/>", .string("")),
            ("<string></string >", .string("")),
            ("<date>2001-01-01T00:00:00Z</date>", .date(0)), ("<date>2015-05-28T14:02:11Z</date>", .date(454_514_531)),
            ("<date>2000-02-29T23:59:59Z</date>", .date(-26_438_401)),
            ("<date>1970-01-01T00:00:00Z</date>", .date(-978_307_200)),
            ("<integer> -9223372036854775808 </integer>", .int(.min)),
            ("<integer>18446744073709551615</integer>", .unsigned(.max)), ("<real>-1.5e3</real>", .real(-1500)),
            ("<true></true>", .bool(true)), ("<false/>", .bool(false)), ("<data/>", .data([])),
            ("<data>\n\tAAEC\n\t/w==\n</data>", .data([0, 1, 2, 255])),
        ] as [(String, ArchivedValue)])
    func `each form of a value in XML is read`(element: String, value: ArchivedValue) throws {
        #expect(try ArchivedValue(archive: xml(element)) == value)
    }

    @Test(arguments: [
        "<string>&nbsp;</string>", "<string>&#xD800;</string>", "<string>&#1114112;</string>", "<string>&#65</string>",
        "<string>&#;</string>", "<string>&#123456789;</string>", "<string>a</key>", "<string>a<b/></string>",
        "<string>a</string x>", "<string><![CDATA[a</string>", "<string><!-- a</string>", "<string>\u{0}", "text",
        "<date>2015-13-28T14:02:11Z</date>", "<date>2015-05-28</date>", "<date>2015-05-28T14:02:11+01:00</date>",
        "<integer>18446744073709551616</integer>", "<integer>1.5</integer>", "<integer/>", "<real>one</real>",
        "<date/>",
        "<true>yes</true>", "<data>A</data>", "<word>a</word>", "<dict><key>a</key></dict>",
        "<dict><integer>1</integer><true/></dict>", "<array><true/></dict>", "<array>",
    ])
    func `what is no value in XML is refused, with its place`(element: String) {
        #expect {
            try ArchivedValue(archive: xml(element))
        } throws: { error in
            guard let error = error as? StorageError else { return false }
            return error.code == .corrupt && error.message.contains("(byte ")
        }
    }

    @Test func `XML that is no list, an empty one or two of them is refused`() {
        for text in ["<plist>", "<plist></plist>", "<plist><true/><true/></plist>", "<?xml version", "<html></html>"] {
            #expect(code { try ArchivedValue(archive: Array(text.utf8)) } == .corrupt, "\(text)")
        }
    }

    @Test func `limits hold exactly`() throws {
        let archive = try fixture("NSSet-Numbers.archive")
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(bytes: archive.count)) }
        #expect(
            code { try ArchivedValue(archive: archive, limits: .init(bytes: archive.count - 1)) } == .limitExceeded)
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(values: 6)) }
        #expect(code { try ArchivedValue(archive: archive, limits: .init(values: 5)) } == .limitExceeded)
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(depth: 2)) }
        #expect(code { try ArchivedValue(archive: archive, limits: .init(depth: 1)) } == .limitExceeded)
    }
}
