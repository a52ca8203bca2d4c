#include "csqlite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fill_text(csqlite_cell *cell, sqlite3_value *v) {
    const void *bytes = sqlite3_value_text(v);
    cell->tag = bytes ? CSQLITE_TEXT : CSQLITE_NULL;
    cell->bits = (uint64_t)(uintptr_t)bytes;
    cell->length = bytes ? (uint32_t)sqlite3_value_bytes(v) : 0;
}

static void fill_blob(csqlite_cell *cell, sqlite3_value *v) {
    // An empty blob has no address, so only its type tells it from null.
    const void *bytes = sqlite3_value_blob(v);
    cell->tag = bytes || sqlite3_value_type(v) == SQLITE_BLOB ? CSQLITE_BLOB : CSQLITE_NULL;
    cell->bits = (uint64_t)(uintptr_t)bytes;
    cell->length = bytes ? (uint32_t)sqlite3_value_bytes(v) : 0;
}

static void fill_double(csqlite_cell *cell, double value) {
    memcpy(&cell->bits, &value, sizeof value);
    cell->length = 0;
    cell->tag = CSQLITE_DOUBLE;
}

static void fill_any(csqlite_cell *cell, sqlite3_value *v) {
    cell->length = 0;
    switch (sqlite3_value_type(v)) {
        case SQLITE_INTEGER:
            cell->tag = CSQLITE_INT;
            cell->bits = (uint64_t)sqlite3_value_int64(v);
            break;
        case SQLITE_FLOAT: fill_double(cell, sqlite3_value_double(v)); break;
        case SQLITE_TEXT: fill_text(cell, v); break;
        case SQLITE_BLOB: fill_blob(cell, v); break;
        default:
            cell->tag = CSQLITE_NULL;
            cell->bits = 0;
    }
}

// SQLite turns NaN into null, so it is kept as the text 'NaN', which sorts after every number. A whole number that
// another program stored as an integer is a number all the same.
static void fill_double_column(csqlite_cell *cell, sqlite3_value *v) {
    int type = sqlite3_value_type(v);
    if (type == SQLITE_FLOAT) {
        fill_double(cell, sqlite3_value_double(v));
        return;
    }
    fill_any(cell, v);
    if (type == SQLITE_INTEGER) {
        double value = (double)(int64_t)cell->bits;
        if (value < 9007199254740992.0 && value > -9007199254740992.0) fill_double(cell, value);
    } else if (type == SQLITE_TEXT && cell->length == 3 && memcmp((void *)(uintptr_t)cell->bits, "NaN", 3) == 0) {
        fill_double(cell, NAN);
    }
}

static void fill_unsigned_column(csqlite_cell *cell, sqlite3_value *v) {
    fill_any(cell, v);
    if (cell->tag != CSQLITE_TEXT || cell->length != CSQLITE_UNSIGNED_DIGITS) return;
    const unsigned char *digits = (const unsigned char *)(uintptr_t)cell->bits;
    uint64_t value = 0;
    for (int k = 0; k < CSQLITE_UNSIGNED_DIGITS; k++) {
        if (digits[k] < '0' || digits[k] > '9') return;
        unsigned digit = digits[k] - '0';
        if (value > (UINT64_MAX - digit) / 10) return;
        value = value * 10 + digit;
    }
    if (value <= INT64_MAX) return;
    cell->bits = value;
    cell->length = 0;
    cell->tag = CSQLITE_UNSIGNED;
}

static void fill_row(csqlite_cursor *cursor) {
    sqlite3_stmt *s = cursor->statement;
    for (int i = 0; i < cursor->count; i++) {
        csqlite_cell *cell = &cursor->cells[i];
        // Found once for several questions. Unprotected, as SQLite calls it: not to be used by two threads at once,
        // which no connection here is.
        sqlite3_value *v = sqlite3_column_value(s, i);
        switch (cursor->kinds[i]) {
            case CSQLITE_READ_INT: {
                int64_t value = sqlite3_value_int64(v);
                // Null and text that is no number read as 0, so only a 0 needs a look at its type.
                if (value == 0) {
                    fill_any(cell, v);
                } else {
                    cell->bits = (uint64_t)value;
                    cell->length = 0;
                    cell->tag = CSQLITE_INT;
                }
                break;
            }
            case CSQLITE_READ_DOUBLE: fill_double_column(cell, v); break;
            case CSQLITE_READ_TEXT: fill_text(cell, v); break;
            case CSQLITE_READ_BLOB: fill_blob(cell, v); break;
            case CSQLITE_READ_UNSIGNED: fill_unsigned_column(cell, v); break;
            default: fill_any(cell, v);
        }
    }
}

static int is_refused(csqlite_cursor *cursor) {
    cursor->watches = 0;
    int compilations = sqlite3_stmt_status(cursor->statement, SQLITE_STMTSTATUS_REPREPARE, 0);
    if (compilations == cursor->compilations) return 0;
    cursor->compilations = compilations;
    return cursor->recompiled(cursor->owner) != 0;
}

int32_t csqlite_step(void *context) {
    csqlite_cursor *cursor = context;
    int code = sqlite3_step(cursor->statement);
    if (cursor->watches && (code == SQLITE_ROW || code == SQLITE_DONE) && is_refused(cursor)) {
        cursor->code = SQLITE_SCHEMA;
        return -1;
    }
    if (code == SQLITE_ROW) {
        fill_row(cursor);
        return 1;
    }
    cursor->code = code;
    return code == SQLITE_DONE ? 0 : -1;
}

void csqlite_unsigned_text(uint64_t value, char *digits) {
    snprintf(digits, CSQLITE_UNSIGNED_DIGITS + 1, "%0*llu", CSQLITE_UNSIGNED_DIGITS, (unsigned long long)value);
}

static int bind_unsigned(sqlite3_stmt *s, int i, uint64_t value) {
    char digits[CSQLITE_UNSIGNED_DIGITS + 1];
    csqlite_unsigned_text(value, digits);
    return sqlite3_bind_text(s, i, digits, CSQLITE_UNSIGNED_DIGITS, SQLITE_TRANSIENT);
}

static int bind_cell(sqlite3_stmt *s, int i, const csqlite_cell *cell, sqlite3_destructor_type life) {
    switch (cell->tag) {
        case CSQLITE_INT: return sqlite3_bind_int64(s, i, (int64_t)cell->bits);
        case CSQLITE_DOUBLE: {
            double value;
            memcpy(&value, &cell->bits, sizeof value);
            if (isnan(value)) return sqlite3_bind_text(s, i, "NaN", 3, SQLITE_STATIC);
            return sqlite3_bind_double(s, i, value);
        }
        case CSQLITE_TEXT:
            return sqlite3_bind_text64(
                s, i, cell->length ? (const char *)(uintptr_t)cell->bits : "", cell->length, life, SQLITE_UTF8);
        case CSQLITE_BLOB:
            if (cell->length == 0) return sqlite3_bind_zeroblob(s, i, 0);
            return sqlite3_bind_blob64(s, i, (const void *)(uintptr_t)cell->bits, cell->length, life);
        case CSQLITE_UNSIGNED: return bind_unsigned(s, i, cell->bits);
        default: return sqlite3_bind_null(s, i);
    }
}

int csqlite_bind(sqlite3_stmt *statement, int first, const csqlite_cell *cells, int count) {
    for (int i = 0; i < count; i++) {
        int code = bind_cell(statement, first + i, &cells[i], SQLITE_STATIC);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

int csqlite_bind_copy(sqlite3_stmt *statement, int index, csqlite_cell cell) {
    return bind_cell(statement, index, &cell, SQLITE_TRANSIENT);
}

// storage_list: the rows of a bound list as an eponymous virtual table, as SQLite's own carray extension does it for
// plain arrays. Values cross without being turned into text, and there may be any number of them.

#define LIST_COLUMNS 16

typedef struct {
    sqlite3_vtab_cursor base;
    const csqlite_list *list;
    int64_t row;
} list_cursor;

static int list_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **table, char **error) {
    (void)aux, (void)argc, (void)argv, (void)error;
    int code = sqlite3_declare_vtab(
        db, "CREATE TABLE x(c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,list HIDDEN)");
    if (code != SQLITE_OK) return code;
    *table = sqlite3_malloc(sizeof(sqlite3_vtab));
    if (*table == 0) return SQLITE_NOMEM;
    memset(*table, 0, sizeof(sqlite3_vtab));
    return SQLITE_OK;
}

static int list_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int list_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != LIST_COLUMNS) continue;
        if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 100;
        info->estimatedRows = 100;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int list_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    list_cursor *c = sqlite3_malloc(sizeof(list_cursor));
    if (c == 0) return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *cursor = &c->base;
    return SQLITE_OK;
}

static int list_close(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int list_filter(sqlite3_vtab_cursor *cursor, int number, const char *name, int argc, sqlite3_value **argv) {
    (void)number, (void)name;
    list_cursor *c = (list_cursor *)cursor;
    c->list = argc == 1 ? sqlite3_value_pointer(argv[0], "storage_list") : 0;
    c->row = 0;
    return SQLITE_OK;
}

static int list_next(sqlite3_vtab_cursor *cursor) {
    ((list_cursor *)cursor)->row++;
    return SQLITE_OK;
}

static int list_eof(sqlite3_vtab_cursor *cursor) {
    list_cursor *c = (list_cursor *)cursor;
    return c->list == 0 || c->row >= c->list->count;
}

static void result_cell(sqlite3_context *context, const csqlite_cell *cell) {
    switch (cell->tag) {
        case CSQLITE_INT: sqlite3_result_int64(context, (int64_t)cell->bits); break;
        case CSQLITE_DOUBLE: {
            double value;
            memcpy(&value, &cell->bits, sizeof value);
            if (isnan(value)) {
                sqlite3_result_text(context, "NaN", 3, SQLITE_STATIC);
            } else {
                sqlite3_result_double(context, value);
            }
            break;
        }
        case CSQLITE_TEXT:
            sqlite3_result_text64(
                context, cell->length ? (const char *)(uintptr_t)cell->bits : "", cell->length, SQLITE_STATIC,
                SQLITE_UTF8);
            break;
        case CSQLITE_BLOB:
            if (cell->length == 0) {
                sqlite3_result_zeroblob(context, 0);
            } else {
                sqlite3_result_blob64(context, (const void *)(uintptr_t)cell->bits, cell->length, SQLITE_STATIC);
            }
            break;
        case CSQLITE_UNSIGNED: {
            char digits[CSQLITE_UNSIGNED_DIGITS + 1];
            csqlite_unsigned_text(cell->bits, digits);
            sqlite3_result_text(context, digits, CSQLITE_UNSIGNED_DIGITS, SQLITE_TRANSIENT);
            break;
        }
        default: sqlite3_result_null(context);
    }
}

static int list_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
    list_cursor *c = (list_cursor *)cursor;
    if (column < c->list->width) result_cell(context, &c->list->cells[c->row * c->list->width + column]);
    return SQLITE_OK;
}

static int list_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) {
    *rowid = ((list_cursor *)cursor)->row;
    return SQLITE_OK;
}

static const sqlite3_module list_module = {
    .iVersion = 0,
    .xConnect = list_connect,
    .xBestIndex = list_best_index,
    .xDisconnect = list_disconnect,
    .xOpen = list_open,
    .xClose = list_close,
    .xFilter = list_filter,
    .xNext = list_next,
    .xEof = list_eof,
    .xColumn = list_column,
    .xRowid = list_rowid,
};

int csqlite_register_list(sqlite3 *db) { return sqlite3_create_module(db, "storage_list", &list_module, 0); }

int csqlite_bind_list(sqlite3_stmt *statement, int index, const csqlite_list *list) {
    return sqlite3_bind_pointer(statement, index, (void *)list, "storage_list", 0);
}

void csqlite_result_text(sqlite3_context *context, const void *bytes, uint64_t length) {
    sqlite3_result_text64(context, length ? bytes : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void csqlite_result_blob(sqlite3_context *context, const void *bytes, uint64_t length) {
    sqlite3_result_blob64(context, length ? bytes : "", length, SQLITE_TRANSIENT);
}
