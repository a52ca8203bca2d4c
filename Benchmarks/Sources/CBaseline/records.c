#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define COLUMNS "id, name, age, height, photo, tags"
#define INSERT "INSERT INTO Record (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
#define UPSERT                                                                                       \
    INSERT " ON CONFLICT (id) DO UPDATE SET name = excluded.name, age = excluded.age, "              \
           "height = excluded.height, photo = excluded.photo, tags = excluded.tags"

static record *records;
static long record_count, record_capacity;
static item *items;
static long item_count, item_capacity;

// A statement that cannot be prepared is a mistake of the benchmark.
sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = 0;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, 0) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
        abort();
    }
    return s;
}

int bind_text(sqlite3_stmt *s, int index, text value) {
    return sqlite3_bind_text(s, index, value.bytes, value.length, SQLITE_STATIC);
}

int run(sqlite3_stmt *s) {
    int code = sqlite3_step(s);
    sqlite3_reset(s);
    return code;
}

int finish(sqlite3 *db, int code) { return code == SQLITE_DONE ? sqlite3_exec(db, "COMMIT", 0, 0, 0) : code; }

text text_of(sqlite3_stmt *s, int column) {
    const void *bytes = sqlite3_column_text(s, column);
    return text_copy(bytes, sqlite3_column_bytes(s, column));
}

static void bind_record(sqlite3_stmt *s, const record *r, long round) {
    sqlite3_bind_int64(s, 1, r->id);
    bind_text(s, 2, r->name);
    sqlite3_bind_int64(s, 3, r->age + round);
    sqlite3_bind_double(s, 4, r->height);
    if (r->photo.bytes) {
        sqlite3_bind_blob(s, 5, r->photo.bytes, r->photo.length, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(s, 5);
    }
    bind_text(s, 6, r->tags);
}

static record read_record(sqlite3_stmt *s) {
    record r = {.id = sqlite3_column_int64(s, 0), .name = text_of(s, 1), .age = sqlite3_column_int64(s, 2)};
    r.height = sqlite3_column_double(s, 3);
    const void *photo = sqlite3_column_blob(s, 4);
    r.photo = text_copy(photo, sqlite3_column_bytes(s, 4));
    r.tags = text_of(s, 5);
    return r;
}

static void free_record(record *r) {
    free(r->name.bytes);
    free(r->photo.bytes);
    free(r->tags.bytes);
}

static int write_all(sqlite3 *db, const char *sql, long count, long round) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *s = prepare(db, sql);
    code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        bind_record(s, &sample_records[i], round);
        code = run(s);
    }
    sqlite3_finalize(s);
    return finish(db, code);
}

int cbaseline_insert(sqlite3 *db, long count, long round) { return write_all(db, INSERT, count, round); }

int cbaseline_update(sqlite3 *db, long count, long round) {
    return write_all(
        db, "UPDATE Record SET name = ?2, age = ?3, height = ?4, photo = ?5, tags = ?6 WHERE id = ?1", count, round);
}

int cbaseline_upsert(sqlite3 *db, long count, long round) { return write_all(db, UPSERT, count, round); }

int cbaseline_save_each(sqlite3 *db, long count, long round) {
    sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *s = prepare(db, UPSERT), *commit = prepare(db, "COMMIT");
    int code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        run(begin);
        bind_record(s, &sample_records[i], round);
        code = run(s);
        if (code == SQLITE_DONE) code = run(commit);
    }
    sqlite3_finalize(begin);
    sqlite3_finalize(s);
    sqlite3_finalize(commit);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cbaseline_delete(sqlite3 *db, long count) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *s = prepare(db, "DELETE FROM Record WHERE id = ?1");
    code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        sqlite3_bind_int64(s, 1, i + 1);
        code = run(s);
    }
    sqlite3_finalize(s);
    return finish(db, code);
}

int cbaseline_insert_items(sqlite3 *db, long count) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *s = prepare(db, "INSERT INTO Item (id, first, second, third, label) VALUES (?, ?, ?, ?, ?)");
    code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        const item *x = &sample_items[i];
        sqlite3_bind_int64(s, 1, x->id);
        sqlite3_bind_int64(s, 2, x->first);
        sqlite3_bind_int64(s, 3, x->second);
        sqlite3_bind_int64(s, 4, x->third);
        bind_text(s, 5, x->label);
        code = run(s);
    }
    sqlite3_finalize(s);
    return finish(db, code);
}

static int keep_records(sqlite3_stmt *s) {
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (record_count == record_capacity) {
            record_capacity = record_capacity ? record_capacity * 2 : 16;
            records = realloc(records, (size_t)record_capacity * sizeof *records);
        }
        records[record_count++] = read_record(s);
    }
    sqlite3_reset(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cbaseline_fetch(sqlite3 *db) {
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM Record ORDER BY id");
    int code = keep_records(s);
    sqlite3_finalize(s);
    return code;
}

int cbaseline_page(sqlite3 *db, int64_t from, int64_t to, long limit) {
    sqlite3_stmt *s =
        prepare(db, "SELECT " COLUMNS " FROM Record WHERE age >= ?1 AND age < ?2 ORDER BY name, id LIMIT ?3");
    sqlite3_bind_int64(s, 1, from);
    sqlite3_bind_int64(s, 2, to);
    sqlite3_bind_int64(s, 3, limit);
    int code = keep_records(s);
    sqlite3_finalize(s);
    return code;
}

int cbaseline_fetch_items(sqlite3 *db) {
    sqlite3_stmt *s = prepare(db, "SELECT id, first, second, third, label FROM Item ORDER BY id");
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (item_count == item_capacity) {
            item_capacity = item_capacity ? item_capacity * 2 : 16;
            items = realloc(items, (size_t)item_capacity * sizeof *items);
        }
        items[item_count++] = (item){
            sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2),
            sqlite3_column_int64(s, 3), text_of(s, 4)};
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cbaseline_stream(sqlite3 *db, int64_t *sum) {
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM Record ORDER BY id");
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        record r = read_record(s);
        *sum += r.id + r.name.length;
        free_record(&r);
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cbaseline_find(sqlite3 *db, const int64_t *keys, long count, int64_t *sum) {
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM Record WHERE id = ?1");
    int code = SQLITE_ROW;
    for (long i = 0; i < count && code == SQLITE_ROW; i++) {
        sqlite3_bind_int64(s, 1, keys[i]);
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) {
            record r = read_record(s);
            *sum += r.id + r.name.length;
            free_record(&r);
        }
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

uint64_t mix(uint64_t sum, uint64_t value) { return (sum ^ value) * 0x100000001b3; }

uint64_t mix_double(uint64_t sum, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(sum, bits);
}

uint64_t mix_text(uint64_t sum, text value) {
    for (int i = 0; i < value.length; i++) sum = mix(sum, (unsigned char)value.bytes[i]);
    return mix(sum, (uint64_t)value.length);
}

uint64_t cbaseline_checksum(void) {
    uint64_t sum = 0;
    for (long i = 0; i < record_count; i++) {
        const record *r = &records[i];
        sum = mix_text(mix(sum, (uint64_t)r->id), r->name);
        sum = mix_double(mix(sum, (uint64_t)r->age), r->height);
        sum = mix_text(mix_text(sum, r->photo), r->tags);
    }
    for (long i = 0; i < item_count; i++) {
        const item *x = &items[i];
        sum = mix(mix(sum, (uint64_t)x->id), (uint64_t)x->first);
        sum = mix_text(mix(mix(sum, (uint64_t)x->second), (uint64_t)x->third), x->label);
    }
    return purchases_checksum(sum);
}

void cbaseline_release(void) {
    for (long i = 0; i < record_count; i++) free_record(&records[i]);
    for (long i = 0; i < item_count; i++) free(items[i].label.bytes);
    free(records);
    free(items);
    records = 0;
    items = 0;
    record_count = record_capacity = item_count = item_capacity = 0;
    purchases_release();
}
