"""The place of the extension module in the wheel without one."""

raise ImportError(
    "this installation of ahu has no extension module, which training, ahu.State, ahu.records, and arrays of a turn need: "
    "install the wheel for Linux or macOS, or build it from source with a Rust toolchain",
    name="ahu._native",
)
