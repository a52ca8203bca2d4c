/// A case on each line, and mutants that it finds. `scripts/mutants` corrects this table.
let killers = """
    aggregates/nan nan-is-no-value
    aggregates/nil-left-out minimum-is-maximum averages-are-whole
    aggregates/nothing sum-too-great
    annexes/rows annex-row-repeated annex-stays
    arithmetic/every-row conditions-from-the-right
    arithmetic/float floats-computed-as-doubles
    arithmetic/int8 narrow-integers-widen division-by-zero-is-nil remainder-is-quotient subtraction-swapped
    arithmetic/int8 nil-operand-is-zero overflow-gives-nothing
    capabilities/constant info-changes
    capabilities/declared lacking-without-reason
    children/keyless equal-keyless-are-one
    children/load grandchildren-dropped properties-mixed
    children/required required-child-dropped
    children/save-replaces children-reversed
    commits/not-kept everything-without-entry
    commits/records next-entry-unseen
    commits/rules rule-is-call
    commits/whole commit-half-read
    concurrency/counter lookups-late
    concurrency/writers-do-not-wait busy-while-read
    costs/changed-entries index-keeps-entries
    costs/owned-rows owned-rows-by-scan
    costs/pages page-by-scan pages-sorted
    costs/referred-rows references-by-scan
    damage/cut-file corrupt-is-io damage-without-place
    damage/flipped-byte damaged-is-empty
    delete/model delete-counts-keys delete-counts-nothing delete-missing-throws delete-first-only
    delete/no-ghosts delete-leaves-orphans
    distance/filter measures-cosine-for-euclidean distance-of-others-is-null
    durability/killed-after-commits log-forgotten unclosed-is-empty
    durability/reopened-often reopening-empties
    durability/truncated-stays-empty last-commit-lost-in-archive
    durability/undone-stays-undone lock-left
    engine/equal-values equal-values-become-unique
    engine/order-of-tables altered-table-last
    errors/place missing-is-io error-without-property error-without-sentence
    evolution/rename-of-nothing something-seems-stored nothing-seems-stored
    evolution/rename-of-removed removal-forgotten
    evolution/text-to-array last-optional-text-unrecorded
    expiry/reads expired-owner-is-there
    expiry/recorded expired-is-there there-at-its-time nil-expires expiry-not-recorded
    expiry/replaced expired-is-not-found expired-is-found-in-part later-is-found
    expiry/through expired-is-there-along-edges
    faults/failed-call failed-write-acknowledged-on-sqlite failed-write-acknowledged-in-archive
    faults/newer-format newer-is-corrupt
    faults/power-cut last-commit-lost-on-sqlite waits-for-no-disk-on-sqlite waits-for-no-disk-in-archive
    fence/refuses-writes closing-unseen closed-for-good
    filters/equal-nil not-drops-nil
    filters/in in-nothing-is-everything in-first-only
    filters/in-10000 in-capped-at-999
    filters/in-1000000 in-capped-at-32766
    filters/injection quote-ends-operand
    filters/properties nil-equals-nothing
    forms/predicate-expressions counts-all-children
    graphs/depth-limit depth-limit-not-held
    graphs/owned-query owned-query-loses-first
    graphs/roots-and-owned root-is-owned
    graphs/trees deep-nodes-dropped
    groups/having having-ignored groups-of-columns-alone
    groups/nothing rows-of-groups-not-limited
    groups/order group-order-ignored group-order-reversed nil-placement-ignored nil-placement-swapped
    groups/several-keys second-group-key-ignored
    history/clock entry-without-commit number-again
    history/gone changed-model-forgotten
    history/nested-names entry-without-record later-entries-unseen
    history/pruned-empty history-unpruned
    history/renamed last-state-as-of
    history/second-store own-tables-recorded
    history/token token-includes-its-entry
    history/truncated entry-lost
    history/unchanged-savepoint kind-not-corrected unchanged-has-entry
    history/undone inserts-are-updates
    holds/released hold-lost hold-stays
    indexes/conditions integers-computed-as-doubles
    indexes/pages ties-reversed
    indexes/types decimals-in-index-as-text index-at-most-is-less zero-with-sign-in-index nan-with-sign-in-index
    keys/assigned key-gap keys-from-zero
    keys/assigned-undone failed-graph-stays commits-on-rollback
    keys/assigned-unsigned refuses-after-failure
    keys/composite composite-key-joined composite-key-first
    keys/continued owner-ends-at-nul owner-is-a-beginning
    keys/hostile-text key-cut-at-nul key-trimmed key-as-path key-cut-long empty-key-refused
    keys/int-bounds key-at-least-is-greater key-at-most-is-less
    keys/int32 small-key
    keys/int64 key-through-double
    keys/int8 negative-key-refused
    keys/models-apart deletes-in-all-models
    keys/never-reused deleted-key-again key-by-count
    keys/string key-case-folded key-composed keys-by-length
    keys/uint64 unsigned-key-wraps
    keys/uuid uuid-key-cut
    limits/columns column-limit-not-held
    limits/key-bytes text-limit-not-held key-limit-not-held
    limits/values conditions-cut-at-1000
    lists/refused list-part-reversed list-offset-ignored list-end-is-start list-gap-used-twice
    lists/reopened list-element-takes-next
    matching/first-failure last-row-lost-in-archive last-row-lost-on-sqlite
    matching/order unique-not-enforced
    matching/several own-writes-unseen
    matching/together one-record-for-each-value
    names/case reserved-word-refused
    names/dots-and-slashes dot-refused
    names/engine-tables engine-name-refused
    names/long long-name-refused
    names/own-tables toolkit-name-refused
    names/reopened quote-refused unicode-name-refused
    numbers/decimal decimal-operands-through-float
    numbers/decimal-with-integers integers-beside-decimals-of-32-bits
    numbers/double operands-through-float
    numbers/literal-float operands-of-six-digits
    numbers/mixed-decimal decimals-computed-as-doubles
    numbers/mixed-double doubles-computed-as-integers
    numbers/mixed-int64 left-operand-decides
    numbers/mixed-overflow overflow-is-io
    observing/second-store foreign-commits-untold
    order/key-order no-order-reversed
    origins/undo-last origin-lost
    pages/by-key page-repeats-place page-skips-equal page-before-is-after page-without-nil
    pages/limits limit-0-is-none offset-without-limit-ignored offset-beyond-end
    past/moments commit-found-later
    past/recursive former-record-unread
    references/cascade nullify-not-written
    references/cycles referrers-not-found last-referrer-not-found cascade-not-written cascade-takes-all
    references/cycles rule-recorded-otherwise references-not-recorded
    references/indexed references-without-index
    references/inverses references-lead-nowhere inverses-are-empty inverses-of-arrays-are-empty
    references/inverses related-aggregates-of-all
    references/nullify references-sorted references-distinct nullify-clears-all elements-kept list-element-stays
    references/order-in-transaction references-never-found
    references/replacing truncation-not-asked
    references/with-absent absent-is-neighbour
    references/with-composite related-records-cut referring-records-cut referring-records-twice
    renames/exchanged passed-names-forgotten renamed-in-turn
    results/counts exists-of-all count-at-least-one
    results/for-each result-cut-at-1000
    results/for-each-in-itself query-ends-cursor
    results/stream-snapshot long-result-in-parts
    results/stream-stopped result-cut-at-256
    rules/undeclared rules-removed-with-property
    schema/128-properties wide-table-refused
    schema/add-default new-default-not-applied alter-loses-rows
    schema/add-index index-refused
    schema/add-optional new-optional-is-zero
    schema/add-required mismatch-is-io
    schema/add-unique constraint-is-duplicate
    schema/first-use new-table-empty
    schema/inserted-while-removed removed-column-filled
    schema/int-to-text last-integer-unrecorded
    schema/narrowed conversion-loses-last
    schema/recorded schema-forgotten
    schema/rename rename-loses-data
    schema/rename-and-widen last-double-unrecorded
    schema/text-to-int only-text-unrecorded
    schema/widen-integer replacement-refused types-recorded-as-text
    search/changed-type search-lost-by-rebuilding
    search/first-use commit-not-indexed segment-lost marks-forgotten
    search/scan range-without-end
    search/transactions every-other-commit-indexed merged-stays number-reused
    set/child-filter any-is-all
    set/computed computed-sets-first
    set/computed-nil nil-minuend-is-zero
    set/joined texts-joined-backwards
    set/only-named patch-clears-rest patch-counts-one
    sets/unique-values unique-holders-not-found
    sharing/added owned-table-forgotten secret-dropped
    sharing/assigned-keys second-opening locked-is-busy
    sharing/made-optional addition-must-be-known
    sharing/renamed-owned claims-sharing foreign-tables-unnoticed
    snapshots/block moving-snapshots
    text/contains contains-at-start
    text/folded-contains diacritics-folded-with-case
    text/like like-anywhere like-question-is-star like-question-is-itself like-star-is-one like-escape-is-itself
    text/like-folded folding-of-ascii-alone
    text/like-folded like-star-is-not-none folding-ignored case-not-folded diacritics-not-folded
    text/like-slow like-is-plain
    text/prefix prefix-anywhere text-ignores-case empty-pattern-matches-nothing percent-is-wildcard
    text/prefix underscore-is-wildcard star-is-wildcard question-mark-is-wildcard
    text/suffix suffix-anywhere
    through/any-all-none all-of-nothing-is-false none-is-not-all
    through/one absent-child-drops-row
    through/order orders-through-children-ignored
    through/order-nils limit-one-more limit-one-less offset-ignored descending-ignored
    through/order-several second-sort-key-ignored
    tokens/commit commits-alike
    transactions/blocking duplicate-is-constraint
    transactions/savepoint-rewritten savepoint-undone-forwards
    transactions/savepoints-nested savepoint-kept savepoint-undoes-all
    transactions/undone-references references-not-looked-up
    transactions/unseen-outside dirty-reads
    truncate/all truncate-deletes-nothing truncate-all-models
    truncate/keys-restart keys-go-on-after-truncate
    truncate/no-ghosts truncate-leaves-children
    tuples/distinct group-limit-ignored group-offset-ignored
    tuples/properties chosen-children-are-nil
    undo/rules entry-of-older-state
    values/array-10000 array-cut-long
    values/bool-column true-is-false
    values/bool-contained nil-is-no-element
    values/bytes-counted counts-one-more
    values/children-empty-nil absent-array-is-empty empty-array-is-absent
    values/data-order data-compares-by-length
    values/date-column date-milliseconds date-after-1970
    values/decimal-column decimal-through-double
    values/decimal-compare decimal-compares-as-text
    values/decimal-contained decimals-of-arrays-with-places
    values/decimal-order decimal-sorts-as-text
    values/double-column nan-is-nil infinity-is-greatest denormals-are-zero double-through-float double-15-digits
    values/double-compare greater-is-at-least
    values/double-elements array-of-whole-numbers
    values/double-equal nan-equals-nothing
    values/double-order nan-is-least
    values/duration-column duration-less
    values/embedded embedded-lost
    values/embedded-null null-text-is-nil
    values/empty-nil-zero nil-is-empty
    values/int16-column greatest-int16-lost
    values/int32-column greatest-int32-lost
    values/int64-column int-through-double int-32-bits zero-is-nil nil-is-zero
    values/int64-equal equal-through-double
    values/int8-column greatest-int8-lost
    values/int8-compare less-takes-nil
    values/int8-counted or-is-first not-not nil-array-has-count-0
    values/int8-elements array-without-nil empty-array-is-nil
    values/int8-equal not-equal-drops-nil
    values/int8-grouped aggregate-without-nil
    values/int8-order nil-sorts-last nil-always-first maximum-too-small
    values/int8-ranged at-most-is-less at-least-is-greater and-is-last
    values/int8-set conditions-of-writes-ignored patch-counts-more
    values/int8-set patch-touches-all patch-skips-nil patch-skips-empty patch-sets-first
    values/negative-zero negative-zero-differs
    values/negative-zero-elements list-by-bits
    values/relative-url array-error-next-element array-error-first-element
    values/string-1mb text-cut-long
    values/string-column text-cut-at-nul text-composed text-decomposed text-trimmed text-without-bom text-line-ends
    values/string-column text-noncharacters text-basic-plane number-for-text empty-text-is-nil
    values/string-compare less-ignoring-case
    values/string-elements array-without-empty-text array-distinct array-as-set
    values/string-equal equal-ignoring-case equal-by-normal-form equal-up-to-nul is-nil-is-false
    values/string-grouped distinct-ignoring-case
    values/string-order text-sorts-ignoring-case text-sorts-as-swift text-sorts-by-utf16
    values/uint16-column greatest-uint16-lost
    values/uint32-column greatest-uint32-lost
    values/uint64-column unsigned-wraps unsigned-saturates
    values/uint64-equal unsigned-compares-signed
    values/uint8-column greatest-uint8-lost
    values/uint8-contained element-is-part-of-text
    values/uint8-elements data-trailing-zeros data-cut-at-nul empty-data-is-nil
    values/unknown-enum-number damage-is-repaired
    values/url-column url-longer url-lowercase
    values/uuid-column uuid-other
    values/uuid-grouped nil-group-dropped distinct-keeps-doubles
    values/vector-column vector-other
    write/batch-1000 array-drops-last
    write/insert-existing insert-overwrites insert-skips-existing error-without-key error-of-other-model
    write/insert-then-find last-grandchild-dropped
    write/key-twice-insert array-insert-keeps-first
    write/key-twice-save-flat array-save-keeps-first
    write/key-twice-update-flat array-update-keeps-first
    write/patch-constraint-key nil-is-unique
    write/save-absent save-refuses-first
    write/save-replaces save-keeps-existing save-merges-nil children-by-id old-children-stay range-takes-next
    write/unique-freed unique-stays-taken
    write/update-missing update-inserts update-skips-missing
    write/update-replaces update-merges-nil
    """
