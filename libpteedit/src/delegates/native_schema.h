// The only includer of the code that flatc generates from schema/native.fbs. Names are pteedit::schema::native::…
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_SCHEMA_H_

#include "native_generated.h"
#include "program/schema.h"

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_SCHEMA_H_
