// The physical limit: what a C programmer would write on sqlite3, one prepared statement and one row at a time.
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

// Makes the records that the Swift side makes, so that inserting measures inserting alone.
void cbaseline_prepare(long count);

// Inserts the prepared records in one transaction; returns an SQLite code.
int cbaseline_insert(sqlite3 *db, long count);
#endif
