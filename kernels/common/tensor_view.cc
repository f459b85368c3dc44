#include "kernels/common/tensor_view.h"

#include <cstring>

namespace prelaunch {

void TensorView::read(const DLTensor* tensor, DeviceCount devices) {
  if (tensor == nullptr) {
    *this = {};
    return;
  }
  // The device type is copied as a number: loading a hostile value as the C enum would be
  // undefined.
  std::int32_t type = 0;
  static_assert(sizeof type == sizeof tensor->device.device_type);
  std::memcpy(&type, &tensor->device.device_type, sizeof type);
  read(Descriptor{.data = reinterpret_cast<std::uintptr_t>(tensor->data),
                  .byte_offset = tensor->byte_offset,
                  .device = {static_cast<DeviceType>(type), tensor->device.device_id},
                  .dtype = {static_cast<DtypeCode>(tensor->dtype.code), tensor->dtype.bits,
                            tensor->dtype.lanes},
                  .rank = tensor->ndim,
                  .shape = tensor->shape,
                  .strides = tensor->strides},
       devices);
}

TensorView TensorView::from(const DLTensor* tensor, DeviceCount devices) {
  TensorView view;
  view.read(tensor, devices);
  return view;
}

}  // namespace prelaunch
