#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#include "internal.h"

const char *const cbaseline_schema =
    "CREATE TABLE Record (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, age INTEGER NOT NULL, "
    "height REAL NOT NULL, photo BLOB, tags TEXT NOT NULL) STRICT;"
    "CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, "
    "third INTEGER NOT NULL, label TEXT NOT NULL) STRICT;"
    "CREATE TABLE Purchase (id INTEGER PRIMARY KEY NOT NULL, customer TEXT NOT NULL, placed INTEGER NOT NULL, "
    "total REAL NOT NULL) STRICT;"
    "CREATE TABLE Address (purchase INTEGER PRIMARY KEY NOT NULL, street TEXT NOT NULL, city TEXT NOT NULL, "
    "zip INTEGER NOT NULL) STRICT;"
    "CREATE TABLE Line (purchase INTEGER NOT NULL, position INTEGER NOT NULL, article INTEGER NOT NULL, "
    "title TEXT NOT NULL, quantity INTEGER NOT NULL, price REAL NOT NULL, PRIMARY KEY (purchase, position)) "
    "STRICT, WITHOUT ROWID;";

record *sample_records;
item *sample_items;
purchase *sample_purchases;

text text_copy(const void *bytes, int length) {
    text copy = {bytes ? malloc((size_t)length + 1) : 0, length};
    if (copy.bytes) memcpy(copy.bytes, bytes, (size_t)length);
    return copy;
}

static text numbered(const char *format, long number) {
    char buffer[64];
    int length = snprintf(buffer, sizeof buffer, format, number);
    return text_copy(buffer, length);
}

static void make_record(record *r, long i) {
    unsigned char photo[64];
    memset(photo, (int)(i & 0xff), sizeof photo);
    *r = (record){
        .id = i + 1,
        .age = (i * 7919) % 100000,
        .height = 1.5 + (double)((i * 31) % 1000) / 1000,
        .name = numbered("Person-%09ld", i),
        .tags = numbered("[\"swift\",\"t%ld\",\"x\"]", i % 100),
        .photo = i % 8 == 7 ? (text){0, 0} : text_copy(photo, sizeof photo),
    };
}

static void make_purchase(purchase *p, long i) {
    *p = (purchase){
        .id = i + 1,
        .placed = (i * 7919) % 100000,
        .total = 0.5 + (double)(i % 1000) / 8,
        .customer = numbered("Person-%09ld", i),
        .street = numbered("Street-%09ld", i),
        .city = numbered("Town-%ld", i % 100),
        .zip = 10000 + i % 90000,
        .lines = malloc(10 * sizeof(line)),
        .count = 10,
    };
    for (int k = 0; k < 10; k++)
        p->lines[k] = (line){i * 10 + k, k * 3 + 1, 0.25 * k, numbered("Article-%09ld", i * 10 + k)};
}

static long record_count, purchase_count;

static void forget(void) {
    for (long i = 0; i < record_count; i++) {
        free(sample_records[i].name.bytes);
        free(sample_records[i].tags.bytes);
        free(sample_records[i].photo.bytes);
        free(sample_items[i].label.bytes);
    }
    for (long i = 0; i < purchase_count; i++) free_purchase(&sample_purchases[i]);
    free(sample_records);
    free(sample_items);
    free(sample_purchases);
}

void cbaseline_prepare(long count, long purchases) {
    forget();
    record_count = count;
    purchase_count = purchases;
    sample_records = malloc((size_t)count * sizeof *sample_records);
    sample_items = malloc((size_t)count * sizeof *sample_items);
    sample_purchases = malloc((size_t)purchases * sizeof *sample_purchases);
    for (long i = 0; i < count; i++) {
        make_record(&sample_records[i], i);
        sample_items[i] = (item){i + 1, i * 3, -i, i % 7, numbered("item-%ld", i)};
    }
    for (long i = 0; i < purchases; i++) make_purchase(&sample_purchases[i], i);
}

void cbaseline_count(int counts) {
    if (counts) {
        CALLGRIND_START_INSTRUMENTATION;
    } else {
        CALLGRIND_STOP_INSTRUMENTATION;
    }
}
