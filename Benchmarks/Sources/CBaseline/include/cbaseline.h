// The physical limit: what a C programmer would write on sqlite3. Prepared statements, one row at a time, nothing bound
// by copying, results in memory of their own.
#ifndef CBASELINE_H
#define CBASELINE_H
#include <sqlite3.h>
#include <stdint.h>

// Text and blobs are bound without copying; Swift cannot spell these macros.
static inline int cbaseline_bind_text(sqlite3_stmt *s, int i, const char *p, int n) {
    return sqlite3_bind_text(s, i, p, n, SQLITE_STATIC);
}
static inline int cbaseline_bind_blob(sqlite3_stmt *s, int i, const void *p, int n) {
    return sqlite3_bind_blob(s, i, p, n, SQLITE_STATIC);
}

// The tables that all ways but the toolkit use.
extern const char *const cbaseline_schema;

// Makes the data that the Swift side makes, so that a timed call makes none: records, items, and purchases of an
// address and ten lines.
void cbaseline_prepare(long records, long purchases);

// Each runs one case and returns an SQLite code. `round` is added to a number of each record that is written, because
// SQLite writes nothing where a row stays as it is.
int cbaseline_insert(sqlite3 *db, long count, long round);
int cbaseline_update(sqlite3 *db, long count, long round);
int cbaseline_upsert(sqlite3 *db, long count, long round);
int cbaseline_save_each(sqlite3 *db, long count, long round);
int cbaseline_delete(sqlite3 *db, long count);
int cbaseline_insert_items(sqlite3 *db, long count);
int cbaseline_fetch(sqlite3 *db);
int cbaseline_fetch_items(sqlite3 *db);
int cbaseline_page(sqlite3 *db, int64_t from, int64_t to, long limit);
// These two keep nothing; the sum is of ids and names' lengths.
int cbaseline_stream(sqlite3 *db, int64_t *sum);
int cbaseline_find(sqlite3 *db, const int64_t *keys, long count, int64_t *sum);
int cbaseline_insert_purchases(sqlite3 *db, long count, long round);
int cbaseline_save_purchases(sqlite3 *db, long count, long round);
int cbaseline_load_purchases(sqlite3 *db);

// Books that refer to an author and to three tags, in tables of their own. Tables that are checked declare foreign keys,
// with ON DELETE CASCADE from the author to the book and from the book to its tags.
typedef struct {
    int64_t authors, tags;
} cbaseline_reference_counts;

typedef struct {
    int64_t id, year, author, tags[3];
    const char *title;
    int length;
} cbaseline_book;

int cbaseline_references_prepare(sqlite3 *db, int checked, const cbaseline_reference_counts *counts);
int cbaseline_references_insert(sqlite3 *db, const cbaseline_book *given, long count);
// Deletes the authors with these keys.
int cbaseline_references_delete(sqlite3 *db, int64_t from, int64_t to);
// Keep the books with their tags, and the authors, that statements give, and return how many.
long cbaseline_references_books(sqlite3 *db, const char *books_sql, const char *tags_sql);
long cbaseline_references_authors(sqlite3 *db, const char *sql);

// Lets callgrind, where the process runs in it with --instr-atstart=no, count instructions or not.
void cbaseline_count(int counts);

// A checksum of what the last call has kept, and its release.
uint64_t cbaseline_checksum(void);
void cbaseline_release(void);
#endif
