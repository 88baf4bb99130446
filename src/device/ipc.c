/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Export of memory to other processes: the bytes that travel.
 */
#include "device/ipc.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(paulimpi__ipc_content) == PAULIMPI_IPC_BYTES,
               "the content fills the handle");

static const char magic[3] = { 'P', 'M', 'I' };
enum { VERSION = 1, CHECKED = 8 /* bytes before this are not checked */ };

/* FNV-1a, folded to 32 bits. */
static uint32_t
hash(const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    size_t i;

    for (i = 0; i < bytes; i++) {
        value = (value ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return (uint32_t)(value ^ value >> 32);
}

/* When this process began, as /proc tells it: the 22nd word, counted behind
 * the name, which may have blanks. */
static unsigned long long
began(void)
{
    char text[1024] = "";
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    const char *word;
    int i;

    if (file == NULL) {
        return 0;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    word = strrchr(text, ')');
    for (i = 2; word != NULL && i < 22; i++) {
        word = strchr(word + 1, ' ');
    }
    if (word != NULL) {
        sscanf(word, "%llu", &ticks);
    }
    return ticks;
}

paulimpi__process
paulimpi__process_self(void)
{
    paulimpi__process self;
    struct stat namespace;
    unsigned long long tag[3] = { began(), 0, 0 };

    if (stat("/proc/self/ns/pid", &namespace) == 0) {
        tag[1] = namespace.st_dev;
        tag[2] = namespace.st_ino;
    }
    self.number = (uint32_t)getpid();
    self.tag = hash(tag, sizeof tag);
    return self;
}

static uint32_t
checksum(const paulimpi__ipc_content *content)
{
    return hash((const char *)content + CHECKED, sizeof *content - CHECKED);
}

void
paulimpi__ipc_encode(paulimpi__ipc_content *content,
                     paulimpi_ipc_handle *handle)
{
    memcpy(content->magic, magic, sizeof magic);
    content->version = VERSION;
    content->checksum = checksum(content);
    memcpy(handle, content, sizeof *handle);
}

int
paulimpi__ipc_decode(const char *function, const paulimpi_ipc_handle *handle,
                     paulimpi__ipc_content *content)
{
    memcpy(content, handle, sizeof *content);
    if (memcmp(content->magic, magic, sizeof magic) != 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the bytes are no handle that "
                               "paulimpi_ipc_export() made",
                               function);
    }
    if (content->version != VERSION) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the handle is of version %d, but this "
                               "library knows version %d only: all processes "
                               "must use the same version of libpaulimpi",
                               function, content->version, VERSION);
    }
    if (content->checksum != checksum(content)
        || content->offset >= content->bytes) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the bytes of the handle were damaged on "
                               "their way",
                               function);
    }
    return PAULIMPI_SUCCESS;
}

/* Whether memory can be exported, and if so where its allocation begins. */
static int
check_export(const char *function, const void *pointer,
             paulimpi_memory *memory)
{
    int rc = paulimpi_memory_describe(pointer, memory);

    if (rc == PAULIMPI_SUCCESS && memory->kind != PAULIMPI_MEMORY_DEVICE) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: %p is %s memory, but only memory of a "
                             "device that this process allocated by "
                             "cudaMalloc or as PAULIMPI_MEMORY_DEVICE can "
                             "be exported",
                             function, pointer,
                             paulimpi__memory_name(memory->kind));
    }
    return rc;
}

int
paulimpi_ipc_export(const void *pointer, paulimpi_ipc_handle *handle)
{
    static const char function[] = "paulimpi_ipc_export";
    paulimpi_memory memory = PAULIMPI_MEMORY_INIT;
    paulimpi__ipc_content content;
    int rc = PAULIMPI_SUCCESS;

    if (pointer == NULL || handle == NULL) {
        return paulimpi__null(function,
                              pointer == NULL ? "pointer" : "handle");
    }
    memset(&content, 0, sizeof content);
    if (paulimpi__n_devices() > 0) {
        rc = check_export(function, pointer, &memory);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__device()->ipc_export(function, memory.base,
                                            &content.key);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__device()->identify(function, memory.device,
                                          &content.uuid);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    content.origin.process = paulimpi__process_self();
    content.origin.base = (uint64_t)(uintptr_t)memory.base;
    content.origin.number = memory.number;
    content.bytes = memory.bytes;
    content.offset = (uint64_t)((const char *)pointer - (char *)memory.base);
    paulimpi__ipc_encode(&content, handle);
    return PAULIMPI_SUCCESS;
}
