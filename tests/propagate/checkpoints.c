/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation that was stopped and goes on from a checkpoint gives the bits
 * of one that was not.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "propagate/problems.h"

enum { MOST_LAYERS = 4000 };

static paulimpi_context *ctx;
static paulimpi_context *threads;
static dice choice = { 3 };
static int has_hdf5;

/* A folder of our own, and files in it. */
static char folder[64] = "/dev/shm/paulimpi-checkpoints-XXXXXX";
static char plain[80], hdf5[80];

static paulimpi_propagation_layer whole_layers[MOST_LAYERS];
static paulimpi_propagation_layer part_layers[MOST_LAYERS];

static int
stop_at(const paulimpi_propagation_progress *progress, void *data)
{
    return progress->gates_done >= *(const int64_t *)data;
}

/* A propagation in one go. */
static paulimpi_sum *
run_whole(const problem *p, paulimpi_propagation_report *report)
{
    paulimpi_propagation_options options = p->options;
    paulimpi_sum *sum;

    options.layers = whole_layers;
    options.n_layers = MOST_LAYERS;
    check(paulimpi_sum_copy(p->sum, &sum));
    check(paulimpi_propagate(sum, p->circuit, &options, report));
    return sum;
}

/* The same, stopped after some gates again and again, with another engine and
 * other threads each time. */
static paulimpi_sum *
run_in_parts(const problem *p, const char *path, int64_t part,
             paulimpi_propagation_report *report)
{
    paulimpi_propagation_options options = p->options;
    int64_t goal = part;
    paulimpi_sum *sum = NULL;
    int rc;

    memset(part_layers, 0, sizeof part_layers);
    options.layers = part_layers;
    options.n_layers = MOST_LAYERS;
    options.progress = stop_at;
    options.progress_data = &goal;
    options.checkpoint_path = path;
    options.checkpoint_gates = 1 + dice_below(&choice, 2 * part);
    do {
        paulimpi_context *on = dice_below(&choice, 2) ? ctx : threads;

        paulimpi_sum_destroy(&sum);
        options.engine = (int)dice_below(&choice, 4);
        check(paulimpi_sum_create(on, paulimpi_sum_qubits(p->sum), &sum));
        if (options.restart_path == NULL || dice_below(&choice, 2)) {
            term_list all = terms_of(p->sum);

            check(paulimpi_sum_add_terms(sum, all.n, all.x, all.z,
                                         all.coefficient));
            term_list_free(&all);
        }
        rc = paulimpi_propagate(sum, p->circuit, &options, report);
        options.restart_path = path;
        goal += part;
    } while (rc == PAULIMPI_ERR_CANCELLED);
    check(rc);
    return sum;
}

static int
same_layers(int64_t n)
{
    int64_t i;

    for (i = 0; i < n && i < MOST_LAYERS; i++) {
        const paulimpi_propagation_layer *a = &whole_layers[i];
        const paulimpi_propagation_layer *b = &part_layers[i];

        if (a->gate != b->gate || a->terms_before != b->terms_before
            || a->terms_after != b->terms_after || a->active != b->active
            || memcmp(&a->dropped_norm1, &b->dropped_norm1, 8) != 0
            || memcmp(&a->dropped_norm2, &b->dropped_norm2, 8) != 0) {
            return 0;
        }
    }
    return 1;
}

static void
test_random(void)
{
    static const int64_t widths[] = { 20, 100, 150 };
    int64_t i, k;

    for (i = 0; i < (int64_t)(sizeof widths / sizeof widths[0]); i++) {
        int n_wrong = 0;
        int n_other_layers = 0;

        for (k = 0; k < N_SUMS; k++) {
            paulimpi_propagation_report first =
                PAULIMPI_PROPAGATION_REPORT_INIT;
            paulimpi_propagation_report second = first;
            problem p =
                draw_problem(ctx, widths[i], (int)k, (uint64_t)(100 * i + k));
            int64_t n = paulimpi_circuit_gates(p.circuit);
            paulimpi_sum *a, *b;

            choose_min_abs(&p, exponent_of((int)k));
            a = run_whole(&p, &first);
            b = run_in_parts(&p, has_hdf5 && k % 2 ? hdf5 : plain, n / 3 + 1,
                             &second);
            n_wrong += !same_bits(a, b) || !same_report(&first, &second);
            n_other_layers += !same_layers(n);
            paulimpi_sum_destroy(&b);
            paulimpi_sum_destroy(&a);
            problem_destroy(&p);
        }
        tap_is_int(n_wrong, 0, "%d qubits: in parts as in one go",
                   (int)widths[i]);
        tap_is_int(n_other_layers, 0, "and the same layers");
    }
}

/* Small ones, for what is refused. */

static paulimpi_circuit *
small_circuit(double angle)
{
    script *s = script_create(4);
    paulimpi_circuit *circuit;
    int i;

    for (i = 0; i < 20; i++) {
        script_one(s, "rx", i % 4, angle);
        script_two(s, "rzz", i % 4, (i + 1) % 4, angle);
    }
    circuit = make_circuit(s);
    script_destroy(s);
    return circuit;
}

/* Leave a checkpoint of the small circuit after some gates. */
static void
write_small(const char *path, int64_t gates)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_circuit *circuit = small_circuit(0.3);
    paulimpi_sum *sum = make_sum(ctx, 4, "Z0 + 0.5 Z1");
    int rc;

    options.checkpoint_path = path;
    options.progress = stop_at;
    options.progress_data = &gates;
    options.engine = PAULIMPI_ENGINE_IN_PLACE;
    rc = paulimpi_propagate(sum, circuit, &options, NULL);
    if (rc != PAULIMPI_ERR_CANCELLED) {
        tap_bail("%s", paulimpi_last_error());
    }
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

static void
refused(const char *input, double angle,
        const paulimpi_propagation_options *options, int code,
        const char *sentence)
{
    paulimpi_propagation_options all = *options;
    paulimpi_circuit *circuit = small_circuit(angle);
    paulimpi_sum *sum = make_sum(ctx, 4, input);

    all.restart_path = all.restart_path == NULL ? plain : all.restart_path;
    tap_is_status(paulimpi_propagate(sum, circuit, &all, NULL), code,
                  "refused: %s", sentence);
    tap_contains(paulimpi_last_error(), sentence, "which says so");
    tap_ok(is_sum(sum, input), "and the sum is as it was");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_other_runs(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_options other = options;
    paulimpi_circuit *circuit = small_circuit(0.3);
    paulimpi_sum *sum = make_sum(ctx, 5, "Z0");

    write_small(plain, 7);
    refused("Z0 + 0.5 Z1", 0.4, &options, PAULIMPI_ERR_MISMATCH,
            "another circuit");
    refused("Z0 + 0.25 Z1", 0.3, &options, PAULIMPI_ERR_MISMATCH,
            "began with another sum");
    other.truncation.min_abs = 2e-3;
    refused("Z0 + 0.5 Z1", 0.3, &other, PAULIMPI_ERR_MISMATCH,
            "another truncation");
    other = options;
    other.truncation.max_terms = 5;
    refused("Z0 + 0.5 Z1", 0.3, &other, PAULIMPI_ERR_MISMATCH,
            "another truncation");
    other = options;
    other.picture = PAULIMPI_SCHROEDINGER;
    refused("Z0 + 0.5 Z1", 0.3, &other, PAULIMPI_ERR_MISMATCH,
            "the other picture");
    other = options;
    other.restart_path = "checkpoints-missing";
    refused("Z0 + 0.5 Z1", 0.3, &other, PAULIMPI_ERR_IO,
            "checkpoints-missing: No such file");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_options(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_options other = options;

    other.checkpoint_gates = 0;
    refused("Z0", 0.3, &other, PAULIMPI_ERR_ARGUMENT, "checkpoint_gates is 0");
    other = options;
    other.checkpoint_seconds = -1;
    refused("Z0", 0.3, &other, PAULIMPI_ERR_ARGUMENT,
            "checkpoint_seconds is -1");
    other.checkpoint_seconds = (double)NAN;
    refused("Z0", 0.3, &other, PAULIMPI_ERR_ARGUMENT, "checkpoint_seconds is");
}

/* A name that cannot be written to ends the run before the first gate. */
static void
test_no_place(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = small_circuit(0.3);
    paulimpi_sum *sum = make_sum(ctx, 4, "Z0");

    options.checkpoint_path = "checkpoints-missing/x";
    tap_is_status(paulimpi_propagate(sum, circuit, &options, &report),
                  PAULIMPI_ERR_IO, "a folder that is missing is an error");
    tap_is_int(report.gates, 0, "before the first gate");
    tap_ok(is_sum(sum, "Z0"), "and the sum is as it was");
    if (!has_hdf5) {
        options.checkpoint_path = hdf5;
        tap_is_status(paulimpi_propagate(sum, circuit, &options, &report),
                      PAULIMPI_ERR_UNSUPPORTED, "so is HDF5 without HDF5");
    }
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

/* A checkpoint as a sum, a sum as a checkpoint. */
static void
test_other_files(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_sum *sum = make_sum(ctx, 4, "0");

    write_small(plain, 7);
    tap_is_status(paulimpi_sum_read(sum, plain), PAULIMPI_SUCCESS,
                  "a checkpoint is read as a sum");
    tap_ok(paulimpi_sum_terms(sum) > 2, "the one that it holds");
    check(paulimpi_sum_write(sum, plain));
    refused("Z0 + 0.5 Z1", 0.3, &options, PAULIMPI_ERR_IO,
            "it does not begin as a file of libpaulimpi");
    if (has_hdf5) {
        check(paulimpi_sum_write(sum, hdf5));
        options.restart_path = hdf5;
        refused("Z0 + 0.5 Z1", 0.3, &options, PAULIMPI_ERR_MISMATCH,
                "a file of a sum, not a checkpoint");
    }
    paulimpi_sum_destroy(&sum);
}

/* Any bit of the state of a checkpoint that is another is noticed. */
static void
test_damage(const char *path)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_circuit *circuit = small_circuit(0.3);
    paulimpi_sum *want = make_sum(ctx, 4, "Z0 + 0.5 Z1");
    int n_wrong = 0;
    struct stat status;
    int64_t i;
    int fd;

    propagate(want, circuit, &options, NULL);
    write_small(path, 7);
    options.restart_path = path;
    fd = open(path, O_RDWR);
    fstat(fd, &status);
    for (i = 0; i < (int64_t)status.st_size; i += 3) {
        paulimpi_sum *sum = make_sum(ctx, 4, "Z0 + 0.5 Z1");
        char before, after;

        pread(fd, &before, 1, i);
        after = (char)(before ^ 1 << i % 8);
        pwrite(fd, &after, 1, i);
        if (paulimpi_propagate(sum, circuit, &options, NULL)
            == PAULIMPI_SUCCESS) {
            n_wrong += !same_bits(sum, want);
        } else {
            n_wrong += !is_sum(sum, "Z0 + 0.5 Z1");
        }
        pwrite(fd, &before, 1, i);
        paulimpi_sum_destroy(&sum);
    }
    close(fd);
    tap_is_int(n_wrong, 0, "%s: every damage is noticed or has no effect",
               path);
    paulimpi_sum_destroy(&want);
    paulimpi_circuit_destroy(&circuit);
}

/* Also from the first checkpoint and from one of all gates. */
static void
test_ends(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = small_circuit(0.3);
    paulimpi_sum *want = make_sum(ctx, 4, "Z0 + 0.5 Z1");
    paulimpi_sum *sum = make_sum(ctx, 4, "0");
    paulimpi_propagation_report first = report;

    options.checkpoint_path = plain;
    options.checkpoint_gates = 1;
    propagate(want, circuit, &options, &first);
    options.checkpoint_path = NULL;
    options.restart_path = plain;
    propagate(sum, circuit, &options, &report);
    tap_ok(same_bits(sum, want), "a checkpoint of all gates is the result");
    tap_ok(same_report(&report, &first), "with its report");
    write_small(plain, 0);
    check(paulimpi_sum_scale(sum, 0));
    propagate(sum, circuit, &options, &report);
    tap_ok(same_bits(sum, want), "one of no gates is the beginning");
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&want);
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    char *info;

    /* In memory, where there is such a place: a disk takes long. */
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "checkpoints-XXXXXX");
        if (mkdtemp(folder) == NULL) {
            tap_bail("there is no place for files here");
        }
    }
    snprintf(plain, sizeof plain, "%s/run.checkpoint", folder);
    snprintf(hdf5, sizeof hdf5, "%s/run.h5", folder);
    check(paulimpi_info(&info));
    has_hdf5 = strstr(info, "\nHDF5: yes\n") != NULL;
    paulimpi_text_destroy(&info);
    ctx = make_context(1);
    threads = make_context(2);
    test_random();
    test_other_runs();
    test_options();
    test_no_place();
    test_other_files();
    test_damage(plain);
    if (has_hdf5) {
        test_damage(hdf5);
    }
    test_ends();
    unlink(plain);
    unlink(hdf5);
    tap_ok(rmdir(folder) == 0, "no other file is left");
    paulimpi_context_destroy(&threads);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
