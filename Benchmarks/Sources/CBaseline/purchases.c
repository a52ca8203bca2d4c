#include <stdlib.h>

#include "internal.h"

static purchase *purchases;
static long purchase_count, purchase_capacity;

typedef struct {
    sqlite3_stmt *purchase, *address, *line, *no_address, *no_lines;
} statements;

static statements prepare_all(sqlite3 *db, const char *purchase) {
    return (statements){
        .purchase = prepare(db, purchase),
        .address = prepare(db, "INSERT INTO Address (purchase, street, city, zip) VALUES (?, ?, ?, ?)"),
        .line = prepare(
            db, "INSERT INTO Line (purchase, position, article, title, quantity, price) VALUES (?, ?, ?, ?, ?, ?)"),
        .no_address = prepare(db, "DELETE FROM Address WHERE purchase = ?"),
        .no_lines = prepare(db, "DELETE FROM Line WHERE purchase = ?"),
    };
}

static void finalize_all(statements *s) {
    sqlite3_finalize(s->purchase);
    sqlite3_finalize(s->address);
    sqlite3_finalize(s->line);
    sqlite3_finalize(s->no_address);
    sqlite3_finalize(s->no_lines);
}

static int write_purchase(sqlite3_stmt *s, const purchase *p, long round) {
    sqlite3_bind_int64(s, 1, p->id);
    bind_text(s, 2, p->customer);
    sqlite3_bind_int64(s, 3, p->placed + round);
    sqlite3_bind_double(s, 4, p->total);
    return run(s);
}

static int write_owned(statements *s, const purchase *p, long round) {
    sqlite3_bind_int64(s->address, 1, p->id);
    bind_text(s->address, 2, p->street);
    bind_text(s->address, 3, p->city);
    sqlite3_bind_int64(s->address, 4, p->zip);
    int code = run(s->address);
    for (int k = 0; k < p->count && code == SQLITE_DONE; k++) {
        const line *l = &p->lines[k];
        sqlite3_bind_int64(s->line, 1, p->id);
        sqlite3_bind_int64(s->line, 2, k);
        sqlite3_bind_int64(s->line, 3, l->article);
        bind_text(s->line, 4, l->title);
        sqlite3_bind_int64(s->line, 5, l->quantity + round);
        sqlite3_bind_double(s->line, 6, l->price);
        code = run(s->line);
    }
    return code;
}

static int remove_owned(statements *s, const purchase *p) {
    sqlite3_bind_int64(s->no_address, 1, p->id);
    sqlite3_bind_int64(s->no_lines, 1, p->id);
    int code = run(s->no_address);
    return code == SQLITE_DONE ? run(s->no_lines) : code;
}

static int write_all(sqlite3 *db, const char *sql, int replaces, long count, long round) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    statements s = prepare_all(db, sql);
    code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        const purchase *p = &sample_purchases[i];
        code = write_purchase(s.purchase, p, round);
        if (code == SQLITE_DONE && replaces) code = remove_owned(&s, p);
        if (code == SQLITE_DONE) code = write_owned(&s, p, round);
    }
    finalize_all(&s);
    return finish(db, code);
}

#define INSERT "INSERT INTO Purchase (id, customer, placed, total) VALUES (?, ?, ?, ?)"

int cbaseline_insert_purchases(sqlite3 *db, long count, long round) { return write_all(db, INSERT, 0, count, round); }

int cbaseline_save_purchases(sqlite3 *db, long count, long round) {
    return write_all(
        db,
        INSERT " ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, placed = excluded.placed, "
               "total = excluded.total",
        1, count, round);
}

static purchase *next_purchase(void) {
    if (purchase_count == purchase_capacity) {
        purchase_capacity = purchase_capacity ? purchase_capacity * 2 : 16;
        purchases = realloc(purchases, (size_t)purchase_capacity * sizeof *purchases);
    }
    return &purchases[purchase_count++];
}

static void add_line(purchase *p, line l) {
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? p->capacity * 2 : 4;
        p->lines = realloc(p->lines, (size_t)p->capacity * sizeof *p->lines);
    }
    p->lines[p->count++] = l;
}

// Three statements in the order of the purchases' keys, stepped together.
int cbaseline_load_purchases(sqlite3 *db) {
    sqlite3_stmt *roots = prepare(db, "SELECT id, customer, placed, total FROM Purchase ORDER BY id");
    sqlite3_stmt *addresses = prepare(db, "SELECT purchase, street, city, zip FROM Address ORDER BY purchase");
    sqlite3_stmt *lines = prepare(
        db, "SELECT purchase, article, title, quantity, price FROM Line ORDER BY purchase, position");
    int address = sqlite3_step(addresses), next = sqlite3_step(lines), code;
    while ((code = sqlite3_step(roots)) == SQLITE_ROW) {
        purchase *p = next_purchase();
        *p = (purchase){.id = sqlite3_column_int64(roots, 0), .customer = text_of(roots, 1)};
        p->placed = sqlite3_column_int64(roots, 2);
        p->total = sqlite3_column_double(roots, 3);
        if (address == SQLITE_ROW && sqlite3_column_int64(addresses, 0) == p->id) {
            p->street = text_of(addresses, 1);
            p->city = text_of(addresses, 2);
            p->zip = sqlite3_column_int64(addresses, 3);
            address = sqlite3_step(addresses);
        }
        while (next == SQLITE_ROW && sqlite3_column_int64(lines, 0) == p->id) {
            line l = {.article = sqlite3_column_int64(lines, 1), .title = text_of(lines, 2)};
            l.quantity = sqlite3_column_int64(lines, 3);
            l.price = sqlite3_column_double(lines, 4);
            add_line(p, l);
            next = sqlite3_step(lines);
        }
    }
    sqlite3_finalize(roots);
    sqlite3_finalize(addresses);
    sqlite3_finalize(lines);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

uint64_t purchases_checksum(uint64_t sum) {
    for (long i = 0; i < purchase_count; i++) {
        const purchase *p = &purchases[i];
        sum = mix_text(mix(sum, (uint64_t)p->id), p->customer);
        sum = mix_double(mix(sum, (uint64_t)p->placed), p->total);
        sum = mix(mix_text(mix_text(sum, p->street), p->city), (uint64_t)p->zip);
        for (int k = 0; k < p->count; k++) {
            const line *l = &p->lines[k];
            sum = mix_text(mix(sum, (uint64_t)l->article), l->title);
            sum = mix_double(mix(sum, (uint64_t)l->quantity), l->price);
        }
    }
    return sum;
}

void free_purchase(purchase *p) {
    free(p->customer.bytes);
    free(p->street.bytes);
    free(p->city.bytes);
    for (int k = 0; k < p->count; k++) free(p->lines[k].title.bytes);
    free(p->lines);
}

void purchases_release(void) {
    for (long i = 0; i < purchase_count; i++) free_purchase(&purchases[i]);
    free(purchases);
    purchases = 0;
    purchase_count = purchase_capacity = 0;
}
