#include "cbaseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t id;
    int64_t age;
    double height;
    char name[32];
    char tags[40];
    unsigned char photo[64];
    int name_length;
    int tags_length;
    int has_photo;
} record;

static record *records;

void cbaseline_prepare(long count) {
    free(records);
    records = calloc((size_t)count, sizeof *records);
    for (long i = 0; i < count; i++) {
        record *r = &records[i];
        r->id = i + 1;
        r->age = (i * 7919) % 100000;
        r->height = 1.5 + (double)((i * 31) % 1000) / 1000;
        r->name_length = snprintf(r->name, sizeof r->name, "Person-%09ld", i);
        r->tags_length = snprintf(r->tags, sizeof r->tags, "[\"swift\",\"t%ld\",\"x\"]", i % 100);
        r->has_photo = i % 8 != 7;
        memset(r->photo, (int)(i & 0xff), sizeof r->photo);
    }
}

int cbaseline_insert(sqlite3 *db, long count) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *s = 0;
    const char *sql = "INSERT INTO Record (id, name, age, height, photo, tags) VALUES (?, ?, ?, ?, ?, ?)";
    code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, 0);
    if (code != SQLITE_OK) return code;
    for (long i = 0; i < count; i++) {
        const record *r = &records[i];
        sqlite3_bind_int64(s, 1, r->id);
        sqlite3_bind_text(s, 2, r->name, r->name_length, SQLITE_STATIC);
        sqlite3_bind_int64(s, 3, r->age);
        sqlite3_bind_double(s, 4, r->height);
        if (r->has_photo) {
            sqlite3_bind_blob(s, 5, r->photo, sizeof r->photo, SQLITE_STATIC);
        } else {
            sqlite3_bind_null(s, 5);
        }
        sqlite3_bind_text(s, 6, r->tags, r->tags_length, SQLITE_STATIC);
        code = sqlite3_step(s);
        sqlite3_reset(s);
        if (code != SQLITE_DONE) break;
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? sqlite3_exec(db, "COMMIT", 0, 0, 0) : code;
}
