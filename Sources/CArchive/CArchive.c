#include "CArchive.h"
// Beside the system's header, where there is one, so that the compiler compares the two.
#include "CArchiveDeclarations.h"
