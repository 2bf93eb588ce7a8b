#include "delegates/decoder.h"

#include "base/text.h"
#include "delegates/aoti.h"
#include "delegates/coreai.h"
#include "delegates/coreml.h"
#include "delegates/enn.h"
#include "delegates/ethosu.h"
#include "delegates/keyed_graph.h"
#include "delegates/mlx.h"
#include "delegates/mps.h"
#include "delegates/native.h"
#include "delegates/neuropilot.h"
#include "delegates/neutron.h"
#include "delegates/openvino.h"
#include "delegates/qnn.h"
#include "delegates/tensorrt.h"
#include "delegates/tosa.h"
#include "delegates/vgf.h"
#include "delegates/vulkan.h"
#include "delegates/xnnpack.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "pteedit/try.h"

namespace pteedit {

std::optional<ContentPlace> BlobInput::Find(std::string_view key) const {
  const std::optional<KeyPlace> place = set == nullptr ? std::nullopt : set->Find(key);
  if (!place) return std::nullopt;
  return ContentPlace{place->file->source(), place->entry->extent};
}

BlobInput InputOf(const ProgramSet& set, const schema::BackendDelegate& delegate) {
  BlobInput input{set.program().source(), BlobExtent(set.program(), delegate), {}, &set};
  for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs())) {
    const auto& value = OrEmpty(spec->value());
    input.compile_specs.push_back({ViewOf(spec->key()), {value.data(), value.size()}});
  }
  return input;
}

std::span<const Decoder> AllDecoders() {
  // clang-format off
  static constexpr Decoder kDecoders[] = {
      {kXnnpackBackend, true, DecodeXnnpack, false, OpenXnnpackGraph, MeasureXnnpack},
      {"VulkanBackend", true, DecodeVulkan, false, OpenVulkanGraph, MeasureVulkan},
      {"NativeBackend", true, DecodeNative, false, nullptr, MeasureNative},
      {"MLXBackend", true, DecodeMlx},
      {"TOSABackend", true, DecodeTosa, false, nullptr, MeasureTosa},
      {"VgfBackend", true, DecodeVgf, false, nullptr, MeasureVgf},
      {"EthosUBackend", true, DecodeEthosU, true},
      {"CoreMLBackend", true, DecodeCoreml, false, nullptr, MeasureCoreml},
      {"QnnBackend", true, DecodeQnn},
      {"OpenvinoBackend", true, DecodeOpenvino, false, nullptr, MeasureOpenvino},
      {"NeuropilotBackend", true, DecodeNeuropilot},
      {"CudaBackend", true, DecodeAoti},
      {"MetalBackend", true, DecodeAoti},
      {"MPSBackend", true, DecodeMps},
      {"NeutronBackend", true, DecodeNeutron},
      {"EnnBackend", true, DecodeEnn},
      {"CoreAIBackend", true, DecodeCoreai},
      {"TensorRTBackend", true, DecodeTensorrt},
  };
  // clang-format on
  return kDecoders;
}

const Decoder* FindDecoder(std::string_view backend) {
  for (const Decoder& decoder : AllDecoders()) {
    if (decoder.backend == backend) return &decoder;
  }
  return nullptr;
}

}  // namespace pteedit
