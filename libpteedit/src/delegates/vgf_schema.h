// The only includer of the code that flatc generates from schema/vgf.fbs. Names are pteedit::schema::vgf::…
#ifndef PTEEDIT_SRC_DELEGATES_VGF_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_VGF_SCHEMA_H_

#include "program/schema.h"
#include "vgf_generated.h"

#endif  // PTEEDIT_SRC_DELEGATES_VGF_SCHEMA_H_
