// What the SQLite backend does in C: one call for each row read or written, and lists of values as a table.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// The same layout as StorageAPI's Cell; the backend checks the size when it opens.
typedef struct {
    uint64_t bits;
    uint32_t length;
    uint32_t tag;
} csqlite_cell;

enum { CSQLITE_NULL = 0, CSQLITE_INT = 1, CSQLITE_DOUBLE = 2, CSQLITE_TEXT = 3, CSQLITE_BLOB = 4, CSQLITE_UNSIGNED = 5 };

// Integers above INT64_MAX are kept as text of 20 digits, which sorts after every integer and in its own order.
#define CSQLITE_UNSIGNED_DIGITS 20

// Writes the text of such an integer, and a NUL behind it.
void csqlite_unsigned_text(uint64_t value, char *digits);

// How a column is read. The first three trust a STRICT table's types where the value is not zero; `ANY` asks for the
// type of every value.
enum {
    CSQLITE_READ_ANY = 0,
    CSQLITE_READ_INT = 1,
    CSQLITE_READ_DOUBLE = 2,
    CSQLITE_READ_TEXT = 3,
    CSQLITE_READ_BLOB = 4,
    CSQLITE_READ_UNSIGNED = 5
};

// A statement with the memory for its current row.
typedef struct {
    sqlite3_stmt *statement;
    csqlite_cell *cells;
    const uint8_t *kinds;
    int32_t count;
    int32_t code;
    // Whether the next step is the first since the statement was reset, and one that looks whether SQLite has compiled
    // the statement again: it does where the schema has changed.
    int32_t watches;
    // How often it has.
    int32_t compilations;
    // Asked where it has, before anybody sees the row: 0 to go on.
    int32_t (*recompiled)(void *owner);
    void *owner;
} csqlite_cursor;

// Moves to the next row and fills its cells: 1 for a row, 0 for the end, -1 for an error, whose code is then in `code`.
int32_t csqlite_step(void *cursor);

// Binds cells to the parameters from `first` on. The cells' bytes must stay until the statement is reset.
int csqlite_bind(sqlite3_stmt *statement, int first, const csqlite_cell *cells, int count);

// As csqlite_bind, but bytes are copied.
int csqlite_bind_copy(sqlite3_stmt *statement, int index, csqlite_cell cell);

// Rows of cells that a statement reads as the table storage_list(pointer), with the columns c0 to c15.
typedef struct {
    const csqlite_cell *cells;
    int64_t count;
    int32_t width;
} csqlite_list;

int csqlite_register_list(sqlite3 *db);

// Binds a list, which must stay until the statement is reset.
int csqlite_bind_list(sqlite3_stmt *statement, int index, const csqlite_list *list);

// Gives bytes as a function's result, which are copied.
void csqlite_result_text(sqlite3_context *context, const void *bytes, uint64_t length);
void csqlite_result_blob(sqlite3_context *context, const void *bytes, uint64_t length);

#endif
