// The only includer of the code that flatc generates from schema/xnnpack.fbs. Names are pteedit::schema::xnnpack::…
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_SCHEMA_H_

#include "program/schema.h"
#include "xnnpack_generated.h"

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_SCHEMA_H_
