/// A case on each line, and mutants that it finds. `scripts/mutants` corrects this table.
let killers = """
    aggregates/nothing sum-too-great
    arithmetic/float floats-computed-as-doubles
    arithmetic/int8 narrow-integers-widen division-by-zero-is-nil remainder-is-quotient subtraction-swapped
    arithmetic/int8 nil-operand-is-zero overflow-gives-nothing
    children/keyless equal-keyless-are-one
    children/load grandchildren-dropped properties-mixed
    children/required required-child-dropped
    children/save-replaces children-reversed
    costs/owned-rows owned-rows-by-scan
    delete/model delete-counts-keys delete-counts-nothing delete-missing-throws delete-first-only
    delete/no-ghosts delete-leaves-orphans
    filters/equal-nil not-drops-nil
    filters/in in-nothing-is-everything in-first-only
    filters/in-10000 in-capped-at-999
    filters/in-1000000 in-capped-at-32766
    filters/injection quote-ends-operand
    filters/properties nil-equals-nothing
    graphs/owned-query owned-query-loses-first
    graphs/roots-and-owned root-is-owned
    graphs/trees deep-nodes-dropped
    indexes/conditions integers-computed-as-doubles conditions-from-the-right
    indexes/pages ties-reversed
    keys/assigned key-gap keys-from-zero
    keys/assigned-undone failed-graph-stays
    keys/composite composite-key-joined composite-key-first
    keys/hostile-text key-cut-at-nul key-trimmed key-as-path key-cut-long empty-key-refused
    keys/int32 small-key
    keys/int64 key-through-double
    keys/int8 negative-key-refused
    keys/models-apart deletes-in-all-models
    keys/never-reused deleted-key-again key-by-count
    keys/string key-case-folded key-composed keys-by-length
    keys/uint64 unsigned-key-wraps
    keys/uuid uuid-key-cut
    matching/together one-record-for-each-value
    numbers/decimal decimal-operands-through-float
    numbers/double operands-through-float
    numbers/literal-float operands-of-six-digits
    numbers/mixed-decimal decimals-computed-as-doubles
    numbers/mixed-int64 left-operand-decides doubles-computed-as-integers
    order/key-order no-order-reversed
    pages/limits limit-0-is-none offset-without-limit-ignored offset-beyond-end
    results/counts exists-of-all count-at-least-one
    results/for-each result-cut-at-1000
    results/for-each-in-itself query-ends-cursor
    results/stream-snapshot long-result-in-parts
    results/stream-stopped result-cut-at-256
    set/child-filter any-is-all
    set/computed computed-sets-first
    set/computed-nil nil-minuend-is-zero
    set/joined texts-joined-backwards
    set/only-named patch-clears-rest patch-counts-one
    text/contains contains-at-start
    text/like like-is-plain like-anywhere like-question-is-star like-question-is-itself like-star-is-one
    text/like like-star-is-not-none
    text/prefix prefix-anywhere text-ignores-case empty-pattern-matches-nothing percent-is-wildcard
    text/prefix underscore-is-wildcard star-is-wildcard question-mark-is-wildcard
    text/suffix suffix-anywhere
    through/any-all-none all-of-nothing-is-false none-is-not-all
    through/one absent-child-drops-row
    through/order-nils limit-one-more limit-one-less offset-ignored descending-ignored
    through/order-several second-sort-key-ignored
    truncate/all truncate-deletes-nothing truncate-all-models
    truncate/keys-restart keys-go-on-after-truncate
    truncate/no-ghosts truncate-leaves-children
    values/array-10000 array-cut-long
    values/bool-column true-is-false
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
    values/empty-nil-zero nil-is-empty
    values/int16-column greatest-int16-lost
    values/int32-column greatest-int32-lost
    values/int64-column int-through-double int-32-bits zero-is-nil nil-is-zero
    values/int64-equal equal-through-double
    values/int8-column greatest-int8-lost
    values/int8-compare less-takes-nil
    values/int8-counted or-is-first not-not
    values/int8-elements array-without-nil empty-array-is-nil
    values/int8-equal not-equal-drops-nil
    values/int8-grouped aggregate-without-nil
    values/int8-order nil-sorts-last nil-always-first maximum-too-small
    values/int8-ranged at-most-is-less at-least-is-greater and-is-last
    values/int8-set patch-touches-all patch-skips-nil patch-skips-empty patch-sets-first
    values/int8-set conditions-of-writes-ignored patch-counts-more
    values/negative-zero negative-zero-differs
    values/negative-zero-elements list-by-bits
    values/relative-url array-error-next-element array-error-first-element
    values/string-1mb text-cut-long
    values/string-column text-cut-at-nul text-composed text-decomposed text-trimmed text-without-bom text-line-ends
    values/string-column text-noncharacters text-basic-plane number-for-text empty-text-is-nil
    values/string-compare less-ignoring-case
    values/string-elements array-without-empty-text array-distinct array-as-set
    values/string-equal equal-ignoring-case equal-by-normal-form equal-up-to-nul is-nil-is-false
    values/string-order text-sorts-ignoring-case text-sorts-as-swift text-sorts-by-utf16
    values/uint16-column greatest-uint16-lost
    values/uint32-column greatest-uint32-lost
    values/uint64-column unsigned-wraps unsigned-saturates
    values/uint64-equal unsigned-compares-signed
    values/uint8-column greatest-uint8-lost
    values/uint8-elements data-trailing-zeros data-cut-at-nul empty-data-is-nil
    values/unknown-enum-number damage-is-repaired
    values/url-column url-longer url-lowercase
    values/uuid-column uuid-other
    values/vector-column vector-other
    write/batch-1000 array-drops-last
    write/insert-existing insert-overwrites insert-skips-existing
    write/insert-then-find last-grandchild-dropped
    write/key-twice-insert array-insert-keeps-first
    write/key-twice-save-flat array-save-keeps-first
    write/key-twice-update-flat array-update-keeps-first
    write/save-absent save-refuses-first
    write/save-replaces save-keeps-existing save-merges-nil children-by-id old-children-stay range-takes-next
    write/update-missing update-inserts update-skips-missing
    write/update-replaces update-merges-nil
    """
