// The only includer of the code that flatc generates from schema/vulkan.fbs and vulkan_02.fbs. Names are
// pteedit::schema::vulkan::… and pteedit::schema::vulkan02::…
#ifndef PTEEDIT_SRC_DELEGATES_VULKAN_SCHEMA_H_
#define PTEEDIT_SRC_DELEGATES_VULKAN_SCHEMA_H_

#include "program/schema.h"
#include "vulkan_02_generated.h"
#include "vulkan_generated.h"

#endif  // PTEEDIT_SRC_DELEGATES_VULKAN_SCHEMA_H_
