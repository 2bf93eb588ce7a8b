// The only includer of the code that flatc generates from schema/mlx.fbs. Names are pteedit::schema::mlx::…
#ifndef PTEEDIT_SRC_DELEGATES_MLX_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_MLX_SCHEMA_H_

#include "mlx_generated.h"
#include "program/schema.h"

#endif  // PTEEDIT_SRC_DELEGATES_MLX_SCHEMA_H_
