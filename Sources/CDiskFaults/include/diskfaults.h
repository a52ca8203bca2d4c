#pragma once
#include <stdint.h>

// A disk that fails, below any engine of a process: loaded with LD_PRELOAD, this library stands before the system's calls that
// change files. StorageConformance's DiskFaults finds these functions. For Linux.

typedef struct disk_faults disk_faults;

// The files in a folder, by its real path. Null without memory.
disk_faults *disk_faults_begin(const char *folder);
void disk_faults_end(disk_faults *faults);

// Begins to count calls. The n-th fails, or with forEver all from it on; none if n is 0. A write that fails has written half.
void disk_faults_arm(disk_faults *faults, int64_t n, int isFull, int forEver);
int64_t disk_faults_count(disk_faults *faults);

// Does to the files what a power cut does: what no sync has waited for is gone, but for its first bytes in each file, or for the
// sectors of 512 bytes with even (1) or odd (2) numbers. All files must be closed.
void disk_faults_cut_power(disk_faults *faults, int64_t first, int sectors);
