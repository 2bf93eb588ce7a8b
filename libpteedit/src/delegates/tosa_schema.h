// The only includer of the code that flatc generates from schema/tosa.fbs. Names are pteedit::schema::tosa::…
#ifndef PTEEDIT_SRC_DELEGATES_TOSA_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_TOSA_SCHEMA_H_

#include "program/schema.h"
#include "tosa_generated.h"

#endif  // PTEEDIT_SRC_DELEGATES_TOSA_SCHEMA_H_
