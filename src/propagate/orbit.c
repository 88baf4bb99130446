/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits: memory, and the syndromes of a group.
 */
#include "propagate/orbit.h"

#include <string.h>

enum {
    LINE = 64,
    PLACES = 1 << PAULIMPI__ORBIT_DIMS,
    LOW = 1 << PAULIMPI__ORBIT_LOW,
    SPARE = 8, /* a list may be written a little past its end */
    CHUNK = 1 << 18,
    MOST_CHUNKS = 64, /* then all syndromes are forgotten */
    LOG2_TABLE = 8,
    LEAST_STACK = 4096
};

/* Memory. */

static void
free_rows(paulimpi__orbit_rows *rows)
{
    paulimpi__free(rows->key);
    paulimpi__free(rows->hash);
    paulimpi__free(rows->polar);
    paulimpi__free(rows->sign);
}

static int
make_rows(paulimpi__orbit_rows *rows, size_t n, int64_t n_words)
{
    rows->key = paulimpi__alloc(n, (size_t)n_words * 2 * sizeof *rows->key);
    rows->hash = paulimpi__alloc(n, sizeof *rows->hash);
    rows->polar = paulimpi__alloc(n, sizeof *rows->polar);
    rows->sign = paulimpi__alloc(n, sizeof *rows->sign);
    return rows->key != NULL && rows->hash != NULL && rows->polar != NULL
           && rows->sign != NULL;
}

static void
free_chunks(paulimpi__orbits *o)
{
    while (o->chunk != NULL) {
        void *chunk = o->chunk;

        memcpy(&o->chunk, chunk, sizeof o->chunk);
        paulimpi__free(chunk);
    }
    o->chunk_left = 0;
    o->n_chunks = 0;
}

static void
free_stack(paulimpi__orbit_stack *stack)
{
    paulimpi__free(stack->key);
    paulimpi__free(stack->coefficient);
    paulimpi__free(stack->hash);
    paulimpi__free(stack->next_hash);
    paulimpi__free(stack->set);
    paulimpi__free(stack->next);
    paulimpi__free(stack->next_orbit);
    memset(stack, 0, sizeof *stack);
}

static void
free_lists(paulimpi__orbits *o)
{
    int i;

    for (i = 0; i < 2; i++) {
        paulimpi__free(o->list_value[i]);
        paulimpi__free(o->list_set[i]);
    }
    paulimpi__free(o->list);
    paulimpi__free(o->sorted);
    paulimpi__free(o->list_dropped);
}

void
paulimpi__orbits_free(paulimpi__orbits *o)
{
    free_chunks(o);
    free_stack(&o->stack);
    free_rows(&o->low);
    free_rows(&o->high);
    paulimpi__tile_free(&o->out);
    paulimpi__free(o->table);
    paulimpi__free(o->mask);
    paulimpi__free(o->next);
    paulimpi__free(o->value);
    paulimpi__free(o->alive);
    paulimpi__free(o->slot);
    paulimpi__free(o->scratch);
    paulimpi__free(o->key);
    paulimpi__free(o->cut);
    paulimpi__free(o->change);
    paulimpi__free(o->active.begin);
    paulimpi__free(o->active.plane);
    paulimpi__free(o->function.begin);
    paulimpi__free(o->function.plane);
    paulimpi__free(o->product);
    paulimpi__free(o->set_of);
    paulimpi__free(o->place_of);
    paulimpi__free(o->gate_hash);
    paulimpi__free(o->polar);
    paulimpi__free(o->step);
    paulimpi__free(o->coordinate);
    paulimpi__free(o->next_orbit);
    free_lists(o);
    memset(o, 0, sizeof *o);
}

/* Room for the products of few generators, if that may be asked for. */
static int
make_products(paulimpi__orbits *o)
{
    size_t row = (size_t)paulimpi__orbit_stride(o->n_words) * sizeof(uint64_t);

    if (o->n_mask > 1 || o->n_words > PAULIMPI__ORBIT_WORDS) {
        return 1;
    }
    o->product =
        paulimpi__alloc_aligned(LINE, (size_t)1 << PAULIMPI__ORBIT_FEW, row);
    o->set_of = paulimpi__alloc_aligned(LINE, PLACES, sizeof *o->set_of);
    o->place_of = paulimpi__alloc(PLACES, sizeof *o->place_of);
    return o->product != NULL && o->set_of != NULL && o->place_of != NULL;
}

/* What depends on the width of the keys or on the number of gates. */
static int
make_arrays(paulimpi__orbits *o)
{
    size_t key_bytes = (size_t)o->n_words * 2 * sizeof *o->key;

    o->value = paulimpi__alloc_aligned(LINE, PLACES, sizeof *o->value);
    o->alive = paulimpi__alloc(PLACES + SPARE, sizeof *o->alive);
    o->scratch = paulimpi__alloc(PAULIMPI__ORBIT_RANK + 1, key_bytes);
    o->key = paulimpi__alloc(PAULIMPI__ORBIT_DIMS + 1, key_bytes);
    o->cut = paulimpi__alloc((size_t)o->n_mask, 2 * sizeof *o->cut);
    o->change = paulimpi__alloc((size_t)o->n_mask, 64 * sizeof *o->change);
    o->table = paulimpi__alloc_zero((size_t)1 << LOG2_TABLE, sizeof *o->table);
    o->log2_table = LOG2_TABLE;
    o->active.begin =
        paulimpi__alloc((size_t)o->n_mask * 64 + 1, sizeof *o->active.begin);
    o->function.begin =
        paulimpi__alloc((size_t)o->n_mask * 64 + 1, sizeof *o->function.begin);
    o->gate_hash =
        paulimpi__alloc((size_t)o->n_mask, 64 * sizeof *o->gate_hash);
    o->polar = paulimpi__alloc((size_t)(o->n_mask * o->n_mask),
                               64 * sizeof *o->polar);
    o->step = paulimpi__alloc((size_t)o->n_mask, 64 * sizeof *o->step);
    return make_rows(&o->low, LOW, o->n_words)
           && make_rows(&o->high, PLACES / LOW, o->n_words) && make_products(o)
           && o->value != NULL && o->alive != NULL && o->scratch != NULL
           && o->key != NULL && o->cut != NULL && o->change != NULL
           && o->table != NULL && o->active.begin != NULL
           && o->function.begin != NULL && o->gate_hash != NULL
           && o->polar != NULL && o->step != NULL
           && paulimpi__tile_reserve(&o->out, PAULIMPI__ORBIT_DEALT + PLACES,
                                     o->n_words)
                  == PAULIMPI_SUCCESS;
}

static void
forget_syndromes(paulimpi__orbits *o)
{
    free_chunks(o);
    memset(o->table, 0, sizeof *o->table << o->log2_table);
    o->n_syndromes = 0;
}

void
paulimpi__orbits_begin(paulimpi__orbits *o, const paulimpi__tile_plan *plan)
{
    o->plan = plan;
    o->is_ready = 0;
}

int
paulimpi__orbits_open(paulimpi__orbits *o, int64_t first, int64_t end)
{
    const paulimpi__orbits given = *o;
    int64_t n_words = given.plan->n_words;
    int64_t n_mask = (end - first + 63) / 64;

    o->gate = given.plan->gate + first;
    o->n_gates = end - first;
    if (o->table != NULL && o->n_words == n_words && o->n_mask == n_mask) {
        forget_syndromes(o);
        return PAULIMPI_SUCCESS;
    }
    paulimpi__orbits_free(o);
    o->gate = given.plan->gate + first;
    o->n_gates = end - first;
    o->plan = given.plan;
    o->hand_on = given.hand_on;
    o->data = given.data;
    o->dropped = given.dropped;
    o->count = given.count;
    o->n_words = n_words;
    o->n_mask = n_mask;
    if (make_arrays(o)) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__orbits_free(o);
    return PAULIMPI_ERR_MEMORY;
}

int
paulimpi__orbits_reserve(paulimpi__orbits *o, int64_t n)
{
    if (o->n_chunks > MOST_CHUNKS) {
        forget_syndromes(o);
    }
    o->used = NULL;
    o->stack.n = 0;
    if (n <= o->most) {
        return PAULIMPI_SUCCESS;
    }
    n = (n + n / 2 + 511) / 512 * 512;
    paulimpi__free(o->mask);
    paulimpi__free(o->coordinate);
    paulimpi__free(o->next);
    paulimpi__free(o->next_orbit);
    o->mask = paulimpi__alloc((size_t)n, (size_t)o->n_mask * sizeof *o->mask);
    o->coordinate =
        paulimpi__alloc((size_t)n, (size_t)o->n_mask * sizeof *o->coordinate);
    o->next = paulimpi__alloc((size_t)n, sizeof *o->next);
    o->next_orbit = paulimpi__alloc((size_t)n, sizeof *o->next_orbit);
    o->most = o->mask == NULL || o->coordinate == NULL || o->next == NULL
                      || o->next_orbit == NULL
                  ? 0
                  : n;
    return o->most == 0 ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
}

/* Make an array longer. Whether that worked; if not, it is as it was. */
static int
stretch(void *array_p, size_t n, size_t size)
{
    void *old;
    void *fresh;

    memcpy(&old, array_p, sizeof old);
    fresh = paulimpi__realloc(old, n, size);
    if (fresh == NULL) {
        return 0;
    }
    memcpy(array_p, &fresh, sizeof fresh);
    return 1;
}

int
paulimpi__orbits_push(paulimpi__orbits *o, int64_t n)
{
    paulimpi__orbit_stack *stack = &o->stack;
    size_t most;

    if (stack->n + n <= stack->most) {
        return 1;
    }
    most = (size_t)(2 * (stack->n + n) + LEAST_STACK);
    if (!stretch(&stack->key, most, (size_t)o->n_words * 2 * sizeof(uint64_t))
        || !stretch(&stack->coefficient, most, sizeof *stack->coefficient)
        || !stretch(&stack->hash, most, sizeof *stack->hash)
        || !stretch(&stack->next_hash, most, sizeof *stack->next_hash)
        || !stretch(&stack->set, most, sizeof *stack->set)
        || !stretch(&stack->next, most, sizeof *stack->next)
        || !stretch(&stack->next_orbit, most, sizeof *stack->next_orbit)) {
        o->has_failed = 1;
        return 0;
    }
    stack->most = (int64_t)most;
    return 1;
}

int
paulimpi__orbits_slots(paulimpi__orbits *o, int64_t n)
{
    if (n > o->n_slots) {
        paulimpi__free(o->slot);
        o->slot = paulimpi__alloc((size_t)n, sizeof *o->slot);
        o->n_slots = o->slot == NULL ? 0 : n;
    }
    o->has_failed |= o->slot == NULL;
    return o->slot != NULL;
}

int
paulimpi__orbits_lists(paulimpi__orbits *o, int64_t n)
{
    size_t most = (size_t)(n + n / 2 + LEAST_STACK);
    size_t long_list = most + SPARE;

    if (n <= o->most_listed) {
        return 1;
    }
    if (!stretch(&o->list_value[0], long_list, sizeof **o->list_value)
        || !stretch(&o->list_value[1], long_list, sizeof **o->list_value)
        || !stretch(&o->list_set[0], long_list, sizeof **o->list_set)
        || !stretch(&o->list_set[1], long_list, sizeof **o->list_set)
        || !stretch(&o->list, long_list, sizeof *o->list)
        || !stretch(&o->sorted, long_list, sizeof *o->sorted)
        || !stretch(&o->list_dropped, 3 * long_list,
                    sizeof *o->list_dropped)) {
        o->has_failed = 1;
        return 0;
    }
    o->most_listed = (int64_t)most;
    return 1;
}

/* Memory that lasts until all syndromes are forgotten. */
static void *
take_memory(paulimpi__orbits *o, size_t count, size_t size)
{
    size_t bytes = (count * size + 15) / 16 * 16;
    char *chunk;

    if (bytes > o->chunk_left) {
        size_t all = bytes > CHUNK ? bytes : CHUNK;

        chunk = paulimpi__alloc(all + 16, 1);
        if (chunk == NULL) {
            return NULL;
        }
        memcpy(chunk, &o->chunk, sizeof o->chunk);
        o->chunk = chunk;
        o->chunk_left = all;
        o->n_chunks += (int64_t)((all + CHUNK - 1) / CHUNK);
    }
    o->chunk_left -= bytes;
    return (char *)o->chunk + 16 + o->chunk_left;
}

/* Syndromes. */

static int
has_bit(const uint64_t *key, int64_t word, int shift)
{
    return key[word] >> shift & 1;
}

/* Bring a key into the rows of the basis as one more, if it is new. Returns the
 * set of generators that make it. */
static uint64_t
reduce(const paulimpi__orbits *o, const paulimpi__syndrome *s, uint64_t *key,
       uint64_t *hash)
{
    int64_t n_key = 2 * o->n_words;
    uint64_t set = 0;
    int64_t w;
    int i;

    for (i = 0; i < s->rank; i++) {
        const paulimpi__orbit_generator *g = &s->generator[i];

        if (has_bit(key, g->word, g->shift)) {
            const uint64_t *row = o->scratch + i * n_key;

            for (w = 0; w < n_key; w++) {
                key[w] ^= row[w];
            }
            set ^= g->row_set;
            *hash ^= g->row_hash;
        }
    }
    return set;
}

/* Take row `rank`, which is reduced, into the basis. */
static void
add_row(const paulimpi__orbits *o, paulimpi__syndrome *s, uint64_t set,
        uint64_t hash)
{
    int64_t n_key = 2 * o->n_words;
    const uint64_t *row = o->scratch + s->rank * n_key;
    paulimpi__orbit_generator *fresh = &s->generator[s->rank];
    int64_t w;
    int i;

    for (fresh->word = 0; row[fresh->word] == 0; fresh->word++) {
    }
    fresh->shift = __builtin_ctzll(row[fresh->word]);
    fresh->row_set = set ^ (uint64_t)1 << s->rank;
    fresh->row_hash = hash;
    for (i = 0; i < s->rank; i++) {
        uint64_t *old = o->scratch + i * n_key;

        if (has_bit(old, fresh->word, fresh->shift)) {
            for (w = 0; w < n_key; w++) {
                old[w] ^= row[w];
            }
            s->generator[i].row_set ^= fresh->row_set;
            s->generator[i].row_hash ^= fresh->row_hash;
        }
    }
}

static void
add_generator(const paulimpi__orbits *o, paulimpi__syndrome *s,
              const paulimpi__tile_gate *gate, uint64_t hash,
              const uint64_t *row, int move)
{
    paulimpi__orbit_generator *fresh = &s->generator[s->rank];
    int i;

    fresh->key = gate->key;
    fresh->hash = hash;
    fresh->polar = 0;
    fresh->is_even = !paulimpi__orbit_y(gate->key, o->n_words);
    fresh->is_negative = 0;
    fresh->is_negative =
        move
        ^ paulimpi__orbit_move(row, paulimpi__orbit_y(row, o->n_words), fresh,
                               o->n_words);
    for (i = 0; i < s->rank; i++) {
        if (paulimpi__orbit_are_polar(&s->generator[i], fresh, o->n_words)) {
            s->generator[i].polar |= (uint64_t)1 << s->rank;
            fresh->polar |= (uint64_t)1 << i;
        }
    }
    s->rank++;
}

/* Add gate k. Whether its rank allows that. */
static int
add_gate(const paulimpi__orbits *o, paulimpi__syndrome *s, int64_t k,
         const uint64_t *row, uint64_t *negative)
{
    const paulimpi__tile_gate *gate = &o->gate[k];
    paulimpi__orbit_gate *to = &s->gate[s->n_gates];
    uint64_t *rest = o->scratch + s->rank * 2 * o->n_words;
    uint64_t own_hash = gate->hash | (uint64_t)gate->next_hash << 32;
    uint64_t hash = own_hash;
    uint64_t bits = 0;
    int move = paulimpi__orbit_move_of(row, gate->key, o->n_words);
    int64_t w;

    memcpy(rest, gate->key, (size_t)o->n_words * 2 * sizeof *rest);
    to->set = reduce(o, s, rest, &hash);
    to->number = k;
    for (w = 0; w < 2 * o->n_words; w++) {
        bits |= rest[w];
    }
    if (bits != 0) {
        if (s->rank == PAULIMPI__ORBIT_RANK) {
            return 0;
        }
        *negative |= (uint64_t)move << s->rank;
        add_row(o, s, to->set, hash);
        to->set = (uint64_t)1 << s->rank;
        add_generator(o, s, gate, own_hash, row, move);
    }
    to->is_negative = move ^ paulimpi__orbit_sign(s, to->set, *negative);
    s->n_gates++;
    return 1;
}

static paulimpi__syndrome *
make_syndrome(paulimpi__orbits *o, const uint64_t *mask, const uint64_t *row)
{
    paulimpi__syndrome *s = take_memory(o, 1, sizeof *s);
    uint64_t negative = 0;
    size_t n_gates = 0;
    size_t n_rows;
    int64_t c;

    if (s == NULL) {
        return NULL;
    }
    memset(s, 0, sizeof *s);
    for (c = 0; c < o->n_mask; c++) {
        n_gates += (size_t)paulimpi__popcount(mask[c]);
    }
    n_rows = n_gates < PAULIMPI__ORBIT_RANK ? n_gates : PAULIMPI__ORBIT_RANK;
    s->first = -1;
    s->is_whole = 1;
    s->mask = take_memory(o, (size_t)o->n_mask, sizeof *s->mask);
    s->gate = take_memory(o, n_gates, sizeof *s->gate);
    s->generator = take_memory(o, n_rows, sizeof *s->generator);
    if (s->mask == NULL || s->gate == NULL || s->generator == NULL) {
        return NULL;
    }
    memcpy(s->mask, mask, (size_t)o->n_mask * sizeof *mask);
    for (c = 0; c < o->n_mask && s->is_whole; c++) {
        uint64_t rest;

        for (rest = mask[c]; rest != 0 && s->is_whole; rest &= rest - 1) {
            s->is_whole =
                add_gate(o, s, 64 * c + __builtin_ctzll(rest), row, &negative);
        }
    }
    return s;
}

static void
grow_table(paulimpi__orbits *o)
{
    size_t n = (size_t)1 << (o->log2_table + 2);
    paulimpi__syndrome **table = paulimpi__alloc_zero(n, sizeof *table);
    size_t i;

    /* Without a larger one the old one will do. */
    if (table == NULL) {
        return;
    }
    for (i = 0; i < n / 4; i++) {
        paulimpi__syndrome *s = o->table[i];

        while (s != NULL) {
            paulimpi__syndrome *next = s->next;
            paulimpi__syndrome **place = &table[s->hash & (n - 1)];

            s->next = *place;
            *place = s;
            s = next;
        }
    }
    paulimpi__free(o->table);
    o->table = table;
    o->log2_table += 2;
}

paulimpi__syndrome *
paulimpi__orbits_add(paulimpi__orbits *o, const uint64_t *mask, uint64_t hash,
                     const uint64_t *row)
{
    paulimpi__syndrome **place;
    paulimpi__syndrome *s;

    if (++o->n_syndromes > (int64_t)1 << o->log2_table) {
        grow_table(o);
    }
    s = make_syndrome(o, mask, row);
    if (s == NULL) {
        o->has_failed = 1;
        return NULL;
    }
    place = &o->table[hash & (((uint64_t)1 << o->log2_table) - 1)];
    s->hash = hash;
    s->next = *place;
    *place = s;
    return s;
}
