// swift-format-ignore-file
// The rules of Documentation/Contract.md, one a line; a test compares the two.
let contractText = #"""
    V1.1 A property may be a Bool.
    V1.2 It may be an Int, Int8 to Int64, a UInt, or UInt8 to UInt64.
    V1.3 It may be a Float or a Double. With StorageKit it may be a CGFloat, which is stored as a Double.
    V1.4 It may be a String.
    V1.5 It may be Data or [UInt8].
    V1.6 It may be a Date.
    V1.7 It may be a UUID.
    V1.8 It may be a URL.
    V1.9 It may be a Decimal.
    V1.10 It may be a Duration.
    V1.11 It may be a Vector.
    V1.12 It may be an enum with a String or integer raw value.
    V1.13 It may be an Optional of any of these.
    V1.14 It may be an array of any of these. Arrays may be nested. An array of enums has one level.
    V1.15 It may be any other Codable value. That is embedded: it is stored inside the owner's row, and queries can't look inside.
    V1.16 It may be another `@Storable` type, an Optional of it, an array of it, or an optional array. These are owned children (section C). A type that is both Codable and `@Storable` is owned.
    V1.17 A container that would hide children in an embedded value (`[Pen?]`, `[String: Pen]`, `Set<Pen>`, `[[Pen]]`) is refused. The compiler refuses it where it can, and opening always does.
    V2.1 Values come back exactly. Integers keep all 64 bits, also a UInt64 above Int64.max.
    V2.2 Double and Float keep their bits, also denormals and infinities. NaN comes back as a NaN, whose payload may change. The sign of -0.0 may be lost, and 0.0 == -0.0 in every comparison.
    V2.3 A String keeps every Unicode scalar: it is neither normalised nor trimmed, and may contain NUL.
    V2.4 Data keeps every byte.
    V2.5 A Date keeps `timeIntervalSinceReferenceDate` to the bit.
    V2.6 A Decimal keeps its value with all 38 digits.
    V2.7 A Duration keeps every attosecond.
    V2.8 A Vector keeps the bits of its Floats, with -0.0 as 0.0 and every NaN as one.
    V2.9 An array keeps its order, count, empty elements and element types.
    V3.1 nil, empty and zero are three different things, for scalars, arrays and children alike.
    V4.1 Each type has one total order and one equality. Filters, sorting, keys, min/max, distinct and group-by all use them. Numbers compare by mathematical value, and integers never pass through Double. NaN equals NaN and sorts after every number.
    V4.2 false sorts before true.
    V4.3 Dates compare by instant.
    V4.4 Strings compare by UTF-8 bytes. So "é" composed and "é" decomposed are two strings.
    V4.5 Data and UUIDs compare by bytes.
    V4.6 Decimals compare by value.
    V4.7 Durations compare by length.
    V4.8 URLs compare by their strings.
    V4.9 A Vector equals another with the same elements, and has no order.
    V4.10 `nil` equals nil. It sorts first ascending and last descending, unless the query says otherwise.
    V5.1 A stored value may be one that the property cannot hold: out of range, an unknown enum case, a wrong type. That is a `typeMismatch`, which names model, key, property and the stored value.
    V5.2 Other rows stay readable.
    V5.3 No value is silently replaced by 0, "" or nil.
    K1.1 A model has one key: the property called `id`, or the properties marked `@Key`. Several marked properties make a composite key.
    K1.2 Key properties are integers, Strings, UUIDs, or enums of strings or integers.
    K2.1 An optional integer or UUID key that is nil on insert or save is assigned. A UUID gets a new random value. An integer gets 1 + the greatest key that the model ever had in this store, so a key is not reused after a delete.
    K2.2 The stored model is returned with its key.
    K2.3 Assigned keys end at the greatest value of their type, or at Int64.max if the type is unsigned. If none is left, the call throws `overflow`. A given key beyond Int64.max is `limitExceeded`.
    K2.4 A nil key on update or delete is `missingKey`.
    K3.1 Keys of different models never meet: key 1 of A and key 1 of B are independent.
    K3.2 The composite key ("ab", "c") differs from ("a", "bc").
    K3.3 Keys compare by V4: "A" and "a" are two keys, on every file system.
    K4.1 Any text is a legal String key: "", "../../x", NUL, 1 KiB, emoji.
    K4.2 A key never becomes a path, an SQL word or an archive name without escapes.
    K5.1 Records are looked up by one key or by many. Each key gives its record or nil, in the order of the keys, including repeated ones.
    W1.1 insert stores a new record.
    W1.2 An existing key is `duplicateKey(model, key)`, and nothing is written.
    W2.1 save stores the model whether or not the key exists.
    W2.2 Afterwards the store holds exactly this value. That includes optionals set to nil and children removed.
    W3.1 update replaces an existing record whole.
    W3.2 A missing key is `notFound(model, key)`, and nothing is written.
    W3.3 update never inserts.
    W4.1 Each of insert, save, update and delete takes one model or an array.
    W4.2 One call is all-or-nothing. The first failing element undoes the call, and the error names that element.
    W4.3 An empty array succeeds and does nothing.
    W4.4 If an array has the same key twice, insert refuses it, and save and update keep the last.
    W5.1 A partial update sets named properties on the rows that match a filter or a key. It can also set nil, 0, false, "" and [].
    W5.2 It returns the number of matched rows.
    W5.3 It cannot change key properties (`invalidQuery`).
    W6.1 delete takes models, keys, or a filter, and returns the number of deleted records.
    W6.2 A missing record is not an error.
    W6.3 Owned children are deleted with their owner.
    W7.1 truncate removes every record of a model with all that they own. Assigned keys restart at 1.
    W7.2 Other models are untouched.
    W8.1 A call that has returned is durable. It survives a killed process and, at the default durability, a power cut.
    W8.2 A relaxed durability may be chosen at opening. Then a power cut may lose the last commits, in order, but never the store.
    W8.3 A file that was removed, renamed or replaced while it was open takes no write. The call is `io` and names the file, and nothing of it is stored.
    W9.1 A write never changes a model that it was given.
    W9.2 Results are returned.
    W10.1 Every entry point checks values. A partial update, a filter, a property's default and an import refuse the values that `save` refuses, as `invalidValue`, before anything is done.
    W10.2 A lookup refuses a key that the model cannot have.
    W11.1 A partial update may compute a property from properties of the record (`age + 1`, `first + " " + last`). It computes exactly, as a condition does (Q3), from the values stored before the call.
    W11.2 A result beyond the property's range is `overflow`, and a text beyond the limit is `limitExceeded`. A nil for a property that is not Optional is `invalidValue`. In each case nothing is written.
    W12.1 `save(_, matching:)` stores a record as the stored one that has the same values of the named properties. The record keeps its key and takes everything else from the value.
    W12.2 If no stored record has them, the record is inserted. So is a record with a nil in one of the properties.
    W12.3 If several records of one call have the same values, the last is kept, under one key.
    W12.4 If several stored records have the values, the call is `constraint`. If another record has the key of a new one, it is `duplicateKey`.
    W12.5 In both cases nothing is written.
    W13.1 If a property is declared unique, no two records hold the same value, except nil.
    W13.2 A write that would break this is `constraint`. The error names record and property, and nothing of the write is stored.
    W13.3 Records are judged as they are written, one after the other, in the order of the call or of their keys. So two records cannot exchange their values in one call.
    W14.1 A model may declare a time of expiry. A read finds the record only if its time is after that of the read. So does a condition that leads to the record.
    W14.2 nil means that the record never expires.
    W14.3 The declaration is recorded in the store, and every program obeys it.
    W14.4 A write first deletes expired records, as a delete does. It deletes all that they own, and follows the rules of the references to them. Observers and the history see it as a commit of its own, whose author is the store.
    W14.5 So a new record may take the key and the unique values of an expired one.
    W14.6 A reference may deny the deletion of a record that expires, or of one that is deleted with it by the rules. Opening such a reference or such an expiry is `configuration`.
    W14.7 Expired records that cannot be deleted are still hidden from reads, and fail no write. `verify` and the log report them, and later writes try again.
    W15.1 A program may declare how long the records of a model are kept, by a time of the record. No record is removed before it is older. A record without a time is not removed.
    W15.2 An older record is as any other until a call removes it: reads find it, and its key and its unique values are taken.
    W15.3 The call removes older records with all that they own, by the rules of the references to them. Observers and the history see it as W14.4 says.
    W15.4 An engine that divides a model by ranges of its keys removes whole ranges, if neither the history, an index of words, a layer nor a reference has to learn of each record. A record then stays as long as one of its range does, and observers learn that the model has changed.
    C1.1 A property is owned if its type is `@Storable`, or an Optional or array of one. It is inserted, saved, updated, deleted, truncated and loaded with its owner, to any depth, in the same all-or-nothing call.
    C2.1 A child is identified by (owner, property, position).
    C2.2 A child's `id` is data. Two owners may hold children with equal ids, and so may one array.
    C2.3 No write takes another owner's child.
    C2.4 Two properties of one type never mix.
    C3.1 An array keeps its order.
    C3.2 After a save or update the stored children are exactly the given ones. Removed ones are deleted, and a reordering is stored. nil and [] differ where the property is optional.
    C3.3 The cost of a write grows with the graph written, never with the store.
    C4.1 A type may own children of its own type, directly or through others. The declared limit of the depth is at least 64 levels. Beyond it the call is `limitExceeded`, never a crash.
    C5.1 A type may be a root and a child at once. Root records and owned records of it are separate.
    C5.2 `select(Pen.self)` sees the roots.
    C5.3 `select(Pen.self).owned(by: Person.self, \.pens)` sees the owned ones with their owners' keys.
    C6.1 Loading children costs a fixed number of backend reads per level, not one per owner.
    C6.2 A query loads all children (the model), none of them (`PartialModel<M>`), or chosen columns and children as a tuple. A partial model has scalar columns only: children do not exist in its type, and it cannot be saved.
    C6.3 So a save can never erase properties that were not loaded.
    C6.4 Owned rows are found by their owners' keys, never by a scan. The number of rows read depends on those owners alone.
    C7.1 A failure anywhere in a graph leaves nothing of the call.
    C8.1 An owned type needs no key.
    C8.2 If it has one, the key is data (C2), and the mark of identity in S7.
    C8.3 A type without a key has no root records: opening it as a model is `configuration`.
    Q1.1 A query has a model, a filter, sort keys, limit, offset, distinct, and group-by with count/sum/min/max/average. Each sort key has its direction and nil placement.
    Q1.2 A backend receives values only, never query text built from user input.
    Q2.1 Filters are two-valued, as Swift is: `nil == nil` is true.
    Q2.2 `x != 5` holds if x is nil.
    Q2.3 An ordered comparison with nil is false.
    Q2.4 `!p` selects exactly the rows where p is false.
    Q3.1 The operators are == != < <= > >=, in a set or range, isNil, and/or/not, and arithmetic on numbers. On strings all of them compare UTF-8 bytes unless folded.
    Q3.2 Strings have contains, hasPrefix, hasSuffix and matching a `like` pattern. Each is also case- and diacritic-insensitive, by one Unicode definition for all backends.
    Q3.3 Arrays have contains, count and isEmpty.
    Q3.4 A condition may go through a child: `city.name` is nil if city is. Children have any/all/none/count with a nested filter.
    Q3.5 A Vector has the distance to another. It is computed in Doubles in one written order, so it is the same to the bit everywhere. It is NaN if there is none.
    Q3.6 Arithmetic is exact. A result beyond the property's own type is `overflow`, and so is an integer division by zero.
    Q3.7 Conditions are evaluated from left to right until the result is known. A query that computes evaluates every row in its scope. So all backends fail alike.
    Q3.8 Only a stream in key order without a limit computes row by row.
    Q3.9 In `like`, `*` stands for any characters and `?` for one Unicode scalar.
    Q3.10 `+` joins two texts scalar by scalar, without normalising them. It gives nil if one is nil.
    Q3.11 A date has year, month, day, weekday and hour in a time zone that the query states, in the Gregorian calendar of all times. They are the same on every engine. Dates beyond the years 1 to 9999 have the parts of the nearest instant in them.
    Q4.1 `in` takes any number of values (0, 1, 10,000, 1,000,000).
    Q4.2 Patterns have no hidden wildcards: % _ * ? are plain text except in `like`.
    Q5.1 Order is total. Rows that are equal on all sort keys come in key order, so pages neither repeat nor skip.
    Q5.2 Without sort keys rows come in key order.
    Q5.3 A page in the order of the key, or of an indexed property, reads as many rows as it gives, skips or refuses. That holds wherever it begins and however many rows there are.
    Q6.1 limit 0 gives no rows.
    Q6.2 A limit or offset beyond the end is no error.
    Q6.3 A negative one is `invalidQuery`.
    Q7.1 Aggregates ignore nil.
    Q7.2 Over no rows, count is 0, sum is 0, and min/max/average are nil.
    Q7.3 An integer sum that overflows is `overflow`, never wrapped or rounded.
    Q7.4 `nil` is a group of its own.
    Q7.5 A sum of Durations is exact.
    Q7.6 A sum of Doubles or Decimals is exact and rounded once. An average is the exact sum as a Double (of Durations in seconds) divided by the count. So the order of rows has no effect.
    Q7.7 Groups may be by the elements of one array of the records: values, references, or terms of owned or referred records. A record is in a group once for each element that has the key, and its values are aggregated as often. A record without elements is in none. nil elements are a group. Terms of the elements may be aggregated too.
    Q8.1 A result is a copy: changing it changes nothing in the store.
    Q8.2 A streamed result equals the array result.
    Q8.3 It holds bounded memory.
    Q8.4 Stopping early releases everything.
    Q9.1 A query may have an unknown property, a type that doesn't fit, or an operator that a type doesn't have. In the typed form that is an error at compile time. In the text form it is `invalidQuery`, which names the word and its position.
    Q9.2 A number of another type than the property is compared by its mathematical value. One with a fraction is compared as the nearest Double or Float.
    Q9.3 Numbers of different types are computed in a type that holds both: a Decimal and an integer as Decimals, integers with fractions as Doubles.
    Q9.4 Engines receive only values of their columns' types.
    Q9.5 A mistake never gives all rows, and never a trap.
    P1.1 A page begins after a position in the query's order, or ends before one. The order is total: the sort keys, and then the key.
    P1.2 Pages neither repeat nor skip a record that is there all the time and keeps its place, whatever is written between them.
    P1.3 A position is a token, which is text. A token of another model or order is `invalidValue`. A size below 1, a limit, an offset or an order by relevance is `invalidQuery`.
    P2.1 Where the key or an index has the order, a page after a position looks at as many rows as it gives, wherever it begins. So does a page before a position in the order of the key. Rows that are equal on the first sort key may be looked at too. That also holds for a condition `a > x || (a == x && …)`.
    T1.1 A transaction is all-or-nothing. A thrown error or a cancelled task undoes everything in it, children and schema work included.
    T1.2 An error thrown by the user's own body comes out unchanged.
    T1.3 A transaction with retries is repeated if another one is in its way (`busy`, `conflict`), each time after a longer pause. It is never repeated for an error of its own body.
    T2.1 Inside a transaction every read sees the transaction's writes.
    T2.2 Nested transactions are savepoints: the inner one may fail alone.
    T2.3 A savepoint may be judged by itself: when it ends, the references that it has written must lead to stored records, and rules deny its deletions for the records that it leaves. Otherwise it fails alone, and the error names each record that refers to one that is missing.
    T2.4 A transaction tells its changes since a mark, of models with a history: each changed record once, before and after, and whether rules of references alone have changed it.
    T3.1 Isolation is serialisable: transactions behave as if they ran one after the other.
    T3.2 A read block sees one snapshot from its first read to its end.
    T4.1 Readers don't wait for writers, and writers don't wait for readers.
    T4.2 Any number of tasks may use one Store.
    T4.3 Results may go to any task.
    T5.1 A transaction's handle cannot leave its body: the compiler forbids it.
    T5.2 An object that outlives its source throws `closed`: a store after close, a stream, a query builder taken from a handle.
    T5.3 Closing waits for running calls.
    T5.4 A second call that closes waits for the first.
    T6.1 A backend either shares the store with a second process correctly, or refuses with `locked`.
    T6.2 Its capabilities say which.
    T6.3 There is no third outcome.
    T7.1 No read blocks an actor. A read runs on threads of the store if it is called from an actor, the main actor included, or if its engine waits for a server.
    T7.2 The `blocking` forms block, as their name says.
    T8.1 Cancelling a task ends its waiting write before it begins, and its running read soon.
    T8.2 Nothing is half-done, and the store continues as before.
    T9.1 Misuse never hangs. Inside one of a store's bodies (a transaction, a read block, a loop), closing the store, or writing by the store itself, is `busy` at once.
    T9.2 So is reading by the store itself inside a transaction.
    T9.3 So is closing a store while it decodes a value.
    T10.1 `commit` gives a transaction's number in the history. It gives none if the store keeps no history of the changed models.
    T11.1 A set of records of several models is stored and removed in one step, in a transaction too. Its records may depend on each other in any order: unique values are swapped, references form cycles, parents go with their children or without the children that the set gives to others.
    T11.2 It is judged as a whole when all of it is done. A unique value belongs to one record, the references that the set writes lead to stored records, and the rules of other references to removed records are carried out. No rule deletes or changes a record of the set.
    T11.3 Otherwise nothing is changed. The error is `constraint`, and names each record that stands against the set with its property and its reason. A set that contradicts itself is `invalidValue`.
    T11.4 In a transaction a set is judged at once, by itself, and may fail alone.
    T12.1 Transactions of a group run in the order in which they are given. Each sees the writes of the earlier ones, may fail alone, and has its author, its note and its number in the history.
    T12.2 They are committed together, once. If the commit fails, all of them fail with its error.
    T12.3 Cancelling the task keeps the transactions that have ended, and fails the others with `cancelled`.
    T12.4 Transactions whose closures may run again have the same results. If one fails, all may be undone and run again, each by itself, and cancelling the task fails all that are not committed.
    T13.1 A library keeps rows of its own in a store, by the name of an annex: values of bytes by keys of bytes. They are read by key, and in the order of the keys' bytes between any two keys. A value may be empty, and so may a key.
    T13.2 They are written in a transaction with the records: both are committed or neither, and a savepoint that fails undoes both. A read block reads them as of its snapshot.
    T13.3 No list of models, copy, digest, comparison, verification, observer or history of the store has them.
    T13.4 A name has 1 to 255 bytes of UTF-8, otherwise the call throws `invalidValue`. A longer key than 1,024 bytes, or a value that the engine does not take, is `limitExceeded`, and nothing is written.
    S1.1 A model's storage is created at first use.
    S1.2 Opening it again changes nothing.
    S2.1 A new optional or defaulted property is added by itself.
    S2.2 Old records read nil or the default, in filters too.
    S2.3 A removed property keeps its data.
    S2.4 Both are logged.
    S2.5 A record that is inserted while the property is removed has no value of it.
    S3.1 A declared rename moves the data.
    S3.2 A type change that loses nothing is done: Int to Double within 2^53, Optional from non-optional, and others.
    S3.3 Any other type change is `schemaMismatch`, before anything is touched. The error names model, property, stored and wanted type.
    S4.1 The store records its schema. It can be read, listed, exported and copied without the program's types.
    S5.1 A store written by a newer format or schema version than the program knows is `schemaNewer`.
    S5.2 Its file is untouched.
    S5.3 A migration is one transaction: a crash inside leaves the old or the new, never a mix.
    S6.1 Any property or model name works: reserved words, Unicode, quotes, dots, names that differ in case only.
    S7.1 A program's writes lose no data that the program does not know.
    S7.2 If it deletes, truncates or replaces an owner, all that the store records as owned is deleted with it, declared or not. A new owner of the same key owns nothing of the old one.
    S7.3 If it saves or updates an owner, owned properties that it does not declare stay as they are. Properties that it does not declare stay in every row that is still the same row. The root is the same by its key. A child is the same by its own key if that is unique in its array, otherwise by its place if the array kept its length.
    S7.4 If a row's unknown data could only be guessed, the call is `schemaNewer`. The error names the property that the program does not know, and nothing is written.
    S8.1 A name keeps its kind.
    S8.2 Under one name, a change between owned and not owned, or one and many, is `schemaMismatch` with the way out. That holds for any stored data, even if the property was gone in between.
    S8.3 Legal changes of a schema may come in any order, with any reopening, compaction or copying between. They never produce a store that does not open, or that reads a value other than the rules give.
    S9.1 A declared rename moves the data of its former name if that was not removed before and the new name holds nothing.
    S9.2 If both hold data it is `schemaMismatch`, naming both.
    S9.3 If only the new name holds data, these stay.
    S9.4 A rename never restores data removed before it, and never changes the kind.
    S9.5 A property with several former names has the data of the one that a store has.
    S9.6 Properties may exchange their names, and one may get the former name of another. The store records that, and does it once.
    S10.1 Two types in one store may have one stored name and different declarations. Then opening the second is `configuration`, naming both types.
    S11.1 An open store notices another process's schema change at its next read or write.
    S11.2 Everything that still fits continues to work: models that were not changed, and added properties and owned records, which writes keep by S7. So does a value that has become Optional, whose nil is a `typeMismatch` of its row.
    S11.3 A declaration that no longer fits is `schemaMismatch`, naming model and property. An array of owned records that has become Optional is one.
    S11.4 It is never `io`, and never wrong data.
    S12.1 A value that the type no longer holds (a lost enum case, a changed Codable) fails that row alone. `all()` names it.
    S12.2 `select(…).skippingUnreadable { error in … }` gives the other records and reports each failed one.
    S12.3 `verify` lists them, for the models that the program uses.
    S13.1 A step that moves data between two schemas is named when a store is opened. It runs once in the store, after those named before it.
    S13.2 It runs in the transaction that changes the schema, and finds the new properties and the removed ones. Its name is recorded in the same transaction.
    S13.3 If several programs open the store at once, one of them runs it.
    S13.4 A step that fails leaves the store as it was. Opening throws its error with its name.
    S13.5 A new store, which has no models, records the steps without running them.
    S13.6 A copy of all models has run the steps that its source has run.
    S13.7 A step that fills records in parts runs after these, beside other writers. It takes the records of a model that meet its condition, in the order of their keys, with their removed properties. Each part is a commit with at most the given number of records.
    S13.8 It fills a record only if the record is still as it was when it met the condition.
    S13.9 Its name is recorded in the commit of the last part. Until then, the next run begins with the first record that meets the condition.
    S13.10 If several programs run it at once, one of them fills each record.
    S13.11 If it fails at a record, the parts before stay. The error names the step and the record.
    S14.1 The recorded uniqueness, expiry, search, rules of references and indexes of a model bind every write. They do so whether or not the program that writes declares them, or their properties.
    S14.2 A program that was open before they were recorded is bound from its next write.
    S14.3 A program removes none of them by not declaring it.
    S14.4 It removes the rules that it names when it opens the store.
    S14.5 An open program that declares a removed rule gets `schemaMismatch` before it writes records of the model, unless only an index was removed. The error names model and property.
    S14.6 If that program opens the store again, the rule is back.
    O1.1 An observed query gives the current result first, and then the results of later commits in commit order.
    O1.2 Each is the result of one snapshot of durable commits, as configured.
    O2.1 Results in between may be skipped.
    O2.2 The last one is never skipped, nor that of a commit between the first read and the registration.
    O3.1 An observer reads once for each element, when it is requested.
    O3.2 Writers never wait for observers, and an observer holds one result.
    O4.1 Everything that a query reads is watched: the model's records, their owned records, and every model that its filter, order and loading reach.
    O5.1 A commit that does not change the result gives no element.
    O5.2 A commit costs no query if the query does not read its models. It costs none either if the keys and the filter alone show that it selects nothing else.
    O5.3 A query of one model without a limit reads only the changed records again.
    O6.1 A difference lies exactly between an element and the one before, by key: removed, inserted, moved, changed.
    O7.1 The feed of changes gives each commit once, in order, as its net effect on root records by kind and key. An insert and a delete cancel each other. A delete and an insert are an update.
    O7.2 It is bounded: an observer that is too slow receives one gap, never nothing.
    O7.3 A record that was written and is the same as before the commit is no change. Neither is a truncation of no records.
    O7.4 If triggers or foreign keys of the database change records by themselves, the feed says at least that their model has changed.
    O8.1 Savepoints that were rolled back, failed calls and verbs that ran twice leave no trace for observers.
    O9.1 Commits of other processes are noticed soon and by themselves, if the backend can detect them.
    O9.2 Otherwise it declares the capability as lacking.
    O10.1 Closing the store ends every observer's sequence. Cancelling a task ends its own at once. An abandoned sequence holds nothing.
    H1.1 A store keeps the history of the models that a program names at opening. For each of them it keeps the keys of changed records, or also the record before the change.
    H1.2 That is recorded in the store. It binds every program that writes to the store, whether or not that program asks for it.
    H1.3 The history is written in the same transaction: an undone change leaves no entry, and a committed one has an entry.
    H1.4 If the database itself has changed records of a model, the history says that any of them may have changed.
    H1.5 If the history keeps the records before, the call is `unsupported` and stores nothing.
    H2.1 An entry has its commit's number, time, author and note, the model, the key, and the kind. The kind is inserted, updated, deleted, or everything. On request it has the record before, with everything that it owned.
    H2.2 It is the net effect of its commit on one record.
    H2.3 Numbers rise from 1 by one. None is used again, even after reopening, pruning and copying.
    H2.4 Time never goes back.
    H2.5 A record that was written and is the same as before has no entry. Neither has a truncation of no records.
    H3.1 A token names the store and a place in its history, survives restarts, and is text.
    H3.2 Reading since a token gives each later entry once, in order.
    H3.3 A token that is older than the kept history is `notKept`.
    H3.4 A token of another store, or from the future, is `invalidValue`.
    H3.5 No token silently starts elsewhere.
    H4.1 A program declares the history to keep, by number and by age, and the store keeps at least that.
    H4.2 Later commits remove the rest, by bounded work.
    H4.3 The last commit stays.
    H5.1 `undo` of a commit is a new transaction. It restores each record that the commit changed to its state before. That includes cascades, and properties that no program declares any more.
    H5.2 If a record is not as the commit left it, or later records refer to it, `undo` is `conflict` with the keys.
    H5.3 If the records before are not kept, it is `notKept`.
    H5.4 In both cases nothing is done.
    H5.5 Redo is the undo of the undo.
    H5.6 A record that has expired since is as the commit left it.
    H5.7 `undoLast` undoes the latest commit of an author that is not undone, or of anyone, or without an author the latest of the open store. It passes over commits that undo others or that leave nothing to undo, and without an author over the removal of expired records.
    H5.8 If there is no such commit, it is `notFound`.
    H6.1 A record can be read as it was after a kept commit, with everything that it owned.
    H6.2 It is read, and restored, as if it had stayed in the store through every change of its model since. These are renames, new types, and properties that came with their defaults.
    H6.3 If it had a value of a property that is gone, that is `schemaMismatch`.
    H6.4 Its entry has the record as it was stored, without the model's type.
    H8.1 The commits after a token can be read whole and in order, in pages that end with a whole commit. All pages of a read block or transaction are of its snapshot.
    H8.2 Each has its token, time, author, note and origin, and its change of each record.
    H8.3 A change has the record before and after it, and the properties that differ. A record that the history does not keep is `notKept`.
    H8.4 It says whether rules of references alone have made it.
    H8.5 A transaction reads the commits before it. The records after them are as they were before its changes.
    H8.6 The last commits can be read, as many as are asked for, of all models or of some.
    H8.7 A read can leave out the commits of some origins. The records before and after the others are the same.
    H8.8 A change tells the properties that its model has got since, at any depth and through renames. What the records before and after have of them are defaults.
    H9.1 A commit records its origin: a call, an undo, a copy, expiry, or a named source from which it was taken.
    H9.2 Entries, observers of commits, and layers that see records or commits are told.
    H9.3 Layers that change rows or keep records, and times of creation and modification, act on calls alone. Other records are stored as they are given.
    H9.4 `undoLast` passes over commits that were taken.
    H10.1 A token names its commit. In a store that was restored from a backup without it, or in a copied file in which other commits followed, it is `invalidValue`, however many commits it has.
    H10.2 A token's text of an earlier version, which does not name the commit, is still read.
    H11.1 A name holds the history after a token. That is recorded in the store and binds every program that writes to it. The hold moves with the commit of the transaction that moves it.
    H11.2 Held commits are not removed.
    H11.3 Holds are listed, and any program can release one.
    H11.4 If the store declares the most that a hold may keep, later commits let a hold go that keeps more. Reading since its token is then `notKept`.
    H12.1 A store can be copied as it was after a kept commit, which its number, a token or a time names. A time means the last commit at or before it.
    H12.2 The copy has the records of then. They are read as H6.2 says.
    H12.3 It is one state, whatever is written meanwhile.
    H12.4 If the history does not keep the commit, or the records of a model since it, that is `notKept`. The call may ask for such models as they are now.
    H12.5 If a record had a value of a property that is gone, that is `schemaMismatch`.
    H12.6 In both cases nothing is copied.
    H12.7 A backup is verified without its store. If it is asked for, that happens before the backup gets its name, and its digests are those that the store had at one moment.
    R1.1 A reference is the key of a root record of one model in the same store.
    R1.2 The key may have several parts. A reference is a `Ref<M>`, `Ref<M>?` or `[Ref<M>]`, in roots and in owned types alike.
    R1.3 Its ==, hash and Codable are those of the key.
    R1.4 It has no load state.
    R2.1 When a writing call, or a transaction, ends, every reference written in it names a stored record.
    R2.2 Otherwise it is `constraint`, naming record, property and key, and nothing is written.
    R2.3 The order inside a call or transaction does not matter: two records may refer to each other.
    R3.1 The reference declares the effect of deleting its target: `deny`, `cascade`, `nullify` or `unchecked`. `deny` is the default. With `nullify` an Optional becomes nil, and an array loses its elements. With `unchecked` the reference is never checked.
    R3.2 The rules apply at any depth, and cycles end. All of it is part of the deleting call.
    R3.3 `deny` is judged after that call's cascades.
    R3.4 The rules are recorded in the store: a program that never declared the referring model obeys them.
    R3.5 `cascade` in an owned type or in an array is refused at opening.
    R4.1 Replacing a record (save, update) is no deletion.
    R4.2 `truncate` of a model is `constraint` if records of others refer to it.
    R5.1 Every reference has an index. Following one, in either direction, reads only the rows of the keys in question.
    R5.2 Filters follow references in both directions with the two values of Q2: a property through a nil reference is nil.
    R5.3 any, all, none and count ask about an array of references and about an inverse.
    R6.1 An inverse stores nothing. It is declared once and gives each referring record once, in the requested order.
    R7.1 An array of references keeps its order and its duplicates.
    R7.2 Any number of arrays may name one record.
    R8.1 Loading with related records costs a fixed number of engine reads for each relation and level, never one for each record. All of them are in one snapshot.
    R8.2 Each record comes with exactly those that it refers to, or that refer to it, through any number of relations and levels.
    R8.3 A related record that many refer to is loaded once.
    R8.4 A reference to a record that is not stored is `notFound`, or nil with `ifPresent`.
    R9.1 `verify` reports dangling references.
    R9.2 `copy` and `diff` carry references and their rules.
    R9.3 The foreign keys of a foreign database are read as references.
    R10.1 A part of a stored array of references is read or changed without the rest. Elements are appended, inserted, moved, removed, counted, searched and paged by their positions.
    R10.2 Each call has the effect of its counterpart on a Swift array, as an update of the record. R2 holds, and observers and the history receive the change.
    R10.3 The number of rows that insertions write does not grow with the array. The exception is an array that an earlier version has written without gaps between its elements.
    R10.4 Digests, differences, copies and the history depend on the elements' order alone.
    R10.5 A position outside the array is `invalidQuery`, and a record that is not stored is `notFound`.
    R10.6 In both cases nothing is done.
    F1.1 A text property may be marked as searched, in a record or in its owned records, with a weight.
    F1.2 The mark is recorded in the store and binds every program that writes to it.
    F1.3 A model has at most 200 searched properties, those of its owned records included. A mark beyond them is `limitExceeded`.
    F2.1 An analyzer makes words of a text by Unicode's word boundaries. It folds case, diacritics, width, presentation forms and kinds of apostrophe, and leaves invisible characters out. Scripts without spaces become overlapping pairs of letters.
    F2.2 The analyzer has a name and a version, and its tables are frozen. Both are recorded: a store that another analyzer has indexed is indexed again, never searched wrongly.
    F3.1 A query consists of words, phrases, prefixes, exclusions and alternatives, each for one property or for all searched ones.
    F3.2 Any text is a query: everything that is no operator is words.
    F3.3 A query without a positive part finds nothing.
    F4.1 F2 and F3 alone decide the records that a query finds, the same on every engine.
    F4.2 A search combines with any other conditions, and follows references.
    F5.1 Relevance is BM25 (k1 1.2, b 0.75, weights by property) by exact statistics of the stored records of the snapshot.
    F5.2 It is equal to the last bit on every engine.
    F5.3 Records of equal relevance are sorted by the next orders, and then by key.
    F5.4 Several searches of the record may be joined by and or by or. Then relevance is the sum of those that find the record.
    F5.5 A search that is negated, or that is of another record, adds nothing.
    F5.6 Queries of records may be ordered by relevance, with and without related records. So may the related records of each.
    F6.1 The index is written in the transaction of the record. An undone write leaves nothing, an undone savepoint removes its part, and other processes see both or none.
    F6.2 A transaction finds its own writes.
    F7.1 An excerpt of a text, and the ranges to highlight in it, come from the text and the query by the same analyzer.
    F7.2 Each range is a word, or the letters of a script without spaces, that the query contains.
    F8.1 A mark on a model with records makes the index when the store is opened. A query is never answered from half an index.
    F8.2 `verify` compares index and texts. `rebuildSearch` rebuilds the index while the store is in use, and continues after a kill.
    F8.3 Copies and digests contain only the texts. A copy has an index of its own.
    F9.1 Observed queries that search behave like all others (O1 to O5).
    L1.1 A layer of an application sees every write to the records of the models that it names, in their order. It sees them within the transaction and its savepoints, whatever makes the write. That may be verbs, JSON, lists, cascades, rules of references, expiry, undo and copies.
    L1.2 It sees records at the end of the call that changes them, when all writes of the call are made.
    L1.3 Its own writes are part of the transaction.
    L1.4 The layers after it see these writes. The layer itself and those before it don't.
    L1.5 If the database itself has changed records that a layer takes part in, the call is `unsupported` and stores nothing.
    L2.1 A layer may change a row that a call writes, before it is written and checked, or refuse the write. If it refuses, the call throws the layer's error with its code and message unchanged, and stores nothing.
    L2.2 Layers run in the order given, and each sees the changes of those before it.
    L2.3 A layer that decides on deletions may keep a record. Then nothing of it is deleted, and no rule of a reference applies.
    L2.4 A cascade that meets such a record is `constraint`.
    L2.5 If layers delete a record on which they are deciding, that deletion is `invalidQuery`.
    L2.6 Beyond a depth of 32 decisions a deletion is `limitExceeded`.
    L3.1 A layer that follows commits receives each once, in order, when it is durable. It receives nothing that was undone.
    L4.1 A property that a model marks as the time of its creation is set when the record is inserted. Every other write leaves the stored time.
    L4.2 A property marked as the time of modification is set by each write of the record, or of its owned records.
    L4.3 Records that are copied, restored, taken from elsewhere or changed by expiry keep their times.
    L4.4 Verbs that return models return them as they are stored.
    M1.1 A store can be closed to writers by a record in its own tables. The record has the address of its new place, or none while the store is being moved.
    M1.2 From the commit of the record on, every write of every program is `moved` with that address, and stores nothing. That holds for programs that have the store open. It is judged within the write's transaction, so no write comes between.
    M1.3 Reads of a closed store go on, and show what was written until it was closed.
    M1.4 Only the move that made the record changes or removes it; for any other it is `conflict`. Then the store takes writes again.
    M1.5 A program of a version that does not know such records refuses the store.
    M2.1 A directory names the place of each tenant's store. A call for a tenant goes to the place that the directory names, and a program that writes to an older place learns of the newer one by `moved`.
    M2.2 At every step of a move, at most one place takes writes, whatever fails. The move can be taken up again after each failure.
    M2.3 After a move, the new place equals the old one by digests, with history, tokens and search.
    Y1.1 One store is the hub of its replicas. Its commits, in their order, are what happened; no clock decides anything.
    Y1.2 What stands against synchronising models is told before anything is sent: keys that the store assigns, references to or from models that are not shared, records that no history keeps, and a history that may let go what is not sent.
    Y2.1 A replica's commit is one patch of inserted and deleted records and of changed properties, numbered and chained by hashes. It crosses whole or not at all.
    Y2.2 The hub applies a patch once or refuses it. The replica learns which: applied with every value that it overwrote although its author had not seen it, or refused with the reason and the patch.
    Y2.3 An error that is no verdict on a patch leaves it waiting. That holds whatever messages are lost, repeated or late, and wherever programs end.
    Y3.1 A replica is the hub's state with its waiting patches on top, and every rule of this contract holds for it at all times. An exchange is one transaction.
    Y3.2 What a waiting patch changes by a rule belongs to it, and goes with it.
    Y3.3 A waiting patch that does not fit the hub's state is set aside until the hub has decided, with the patches that depend on it. No other patch waits for it.
    Y4.1 If a patch and others have changed a record, they are merged by property. A property that both have set to different contents takes the patch's, and the other is told as overwritten.
    Y4.2 An owned record is one content. An array of owned records with keys is merged by key and their properties, and a list of references by element; with equal keys it is one content.
    Y4.3 A change by a rule never overwrites a change by a call.
    Y4.4 A closure of the hub may decide on a property that both have changed.
    Y5.1 A deletion is refused if the record has changed since its author read it, or if a rule would delete a record with it that is not in the patch.
    Y5.2 A change of a record that is deleted meanwhile is refused.
    Y6.1 When all patches are answered and nothing is written, the hub and all its replicas have equal digests of what they share.
    Y7.1 The hub's rules name the models that a user may read. A replica that declares another one is refused.
    Y7.2 The hub's rules may refuse a patch within the transaction that applies it, with their own reason.
    Y7.3 Of a model that is divided by a property, a user reads and writes the own part. The rest stays unknown to the user, with its keys.
    Y7.4 A replica has the records of one user. An exchange for another user is refused.
    Y8.1 A hub or a replica that has gone back in time, or a copy of a replica's file, is noticed before anything of a message is merged.
    Y8.2 No waiting patch is lost by it. A restored or copied replica takes a new name and sends them again.
    Y8.3 What a restored hub has lost comes back from a replica that has it, except for records that have changed at the hub since.
    Y9.1 What a program does not know crosses it unharmed, also if a later version sends what it has committed. A patch with a property that the hub does not know waits.
    Y9.2 A model that joins later, or gains properties, begins with its own first synchronisation.
    Y9.3 A first synchronisation comes in pages, goes on where it was interrupted, and is written at once. Records of a store that had some before are joined by key, and the differences are told.
    Y10.1 Observers see what comes by synchronisation, and the history keeps it: at the hub each patch with its author, at a replica an exchange with its author if it has one.
    Y10.2 It is never sent back, layers that change rows don't act on it, and `undoLast` passes over it.
    E1.1 There is one error type, `StorageError`. Every call that runs no closure of the user throws it as a typed error. It has a stable code, the operation, the backend's name, the underlying cause, and a sentence with the way out. It has model, key and property where known.
    E1.2 Codes: duplicateKey, notFound, missingKey, typeMismatch, invalidValue, invalidQuery, constraint, conflict, outcomeUnknown, notKept, schemaMismatch, schemaNewer, unsupported, limitExceeded, overflow, moved, busy, locked, full, corrupt, io, closed, cancelled, configuration.
    E2.1 No input, file or misuse of the public API ends the process: no trap, no force-unwrap on data.
    E2.2 Types rule out every mistake that they can at compile time.
    E3.1 Damage is found: a flipped or cut byte in a file is `corrupt` with the place, or the right data.
    E3.2 It is never wrong data.
    E3.3 After a failed write or sync, everything that the store acknowledges is on the disk. The store repeats the failed write, or refuses further writes until it is reopened.
    E3.4 It reopens to the last commit.
    E4.1 A backend declares each capability that it lacks in its `capabilities`, with a reason. Using one is `unsupported(capability)` before any effect.
    E4.2 Declared limits (largest value, key, depth, list, author and note) hold exactly. A value at the limit passes, and exceeding it is `limitExceeded`.
    E4.3 A write to a model that can only be read, such as a view of a foreign database, is `unsupported` and stores nothing.
    E5.1 A call that failed has stored nothing, even if the engine ended the transaction by itself (a full disk, an I/O error). Later calls of the same transaction fail too.
    E5.2 A record that the database keeps out, or removes again, is an error of the call.
    E5.3 A record that the database changes is returned as it is stored.
    E6.1 If the outcome of a commit is unknown (a connection lost while committing), the store finds it out by itself. The call returns if the commit is stored, and throws if it is not.
    E6.2 Only if nobody answers in time is it `outcomeUnknown`. Then an observer reads everything again.
    E6.3 A connection that stays silent while its server answers others counts as lost.
    E6.4 If a server takes over that may lack acknowledged commits, the next write is `outcomeUnknown` and stores nothing.
    """#
