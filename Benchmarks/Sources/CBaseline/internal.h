#ifndef CBASELINE_INTERNAL_H
#define CBASELINE_INTERNAL_H
#include "cbaseline.h"

typedef struct {
    char *bytes;
    int length;
} text;

typedef struct {
    int64_t id, age;
    double height;
    text name, tags, photo;
} record;

typedef struct {
    int64_t id, first, second, third;
    text label;
} item;

typedef struct {
    int64_t article, quantity;
    double price;
    text title;
} line;

typedef struct {
    int64_t id, placed;
    double total;
    text customer, street, city;
    int64_t zip;
    line *lines;
    int count, capacity;
} purchase;

extern record *sample_records;
extern item *sample_items;
extern purchase *sample_purchases;

text text_copy(const void *bytes, int length);
text text_of(sqlite3_stmt *s, int column);
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);
int bind_text(sqlite3_stmt *s, int index, text value);
// Runs a statement that gives no row, and makes it ready for the next.
int run(sqlite3_stmt *s);
// Ends a case of one transaction: commits where `code` is SQLITE_DONE.
int finish(sqlite3 *db, int code);

uint64_t mix(uint64_t sum, uint64_t value);
uint64_t mix_double(uint64_t sum, double value);
uint64_t mix_text(uint64_t sum, text value);
uint64_t purchases_checksum(uint64_t sum);
void purchases_release(void);
void free_purchase(purchase *p);
#endif
