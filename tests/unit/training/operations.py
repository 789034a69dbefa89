"""Counts the operations of a training step, and those for which a GPU would be waited for."""

from collections import Counter

import torch
from torch.utils._python_dispatch import TorchDispatchMode

WAITS = {
    "_local_scalar_dense", "nonzero", "masked_select", "_unique2", "unique_dim",
    "unique_consecutive", "equal", "is_nonzero", "repeat_interleave",
}  # fmt: skip
"""Operations for whose result, or its shape, the host waits."""


ADDED = {"index_add", "scatter_add"}
"""Operations that a GPU does in any order, so that sums of equal places vary in their last digits:
(tensor, dimension, places, values)."""


def _repeats(places):
    return len(places.flatten().unique()) < places.numel()


class Roundings(TorchDispatchMode):
    """Notes by which rounding products of float32 are computed: TF32 (True), or as such."""

    def __init__(self):
        super().__init__()
        self.of_products = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.__name__.split(".")[0] in {"mm", "addmm", "bmm", "linear", "matmul"}:
            self.of_products.add(torch.backends.cudnn.allow_tf32)
        return function(*args, **kwargs or {})


class Operations(TorchDispatchMode):
    """Counts operations on tensors, but for views and new memory."""

    FREE = {
        "view", "expand", "slice", "select", "split", "unbind", "transpose", "t", "permute",
        "unsqueeze", "squeeze", "detach", "alias", "unfold", "as_strided", "_unsafe_view", "empty",
        "split_with_sizes", "lift_fresh", "_reshape_alias", "empty_like", "new_empty", "diagonal",
        "empty_strided", "new_empty_strided",
    }  # fmt: skip

    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.__name__.split(".")[0]
        booleans = name == "index" and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        )
        sized = name == "repeat_interleave" and (kwargs or {}).get("output_size") is not None
        if booleans or (name in WAITS and not sized):
            self.counts["waits"] += 1
        self.counts["operations"] += name not in self.FREE
        self.counts["unordered"] += name.strip("_") in ADDED and _repeats(args[2])
        return function(*args, **kwargs or {})


READ = ("numpy", "tolist", "item", "cpu", "__array__", "__bool__", "__int__", "__float__")
"""Methods that read a tensor: of one on a GPU, they wait for it."""


def counted_pool(monkeypatch, learner):
    """Train on one pool, whose text was sent before; return what that took."""
    learner.begin(0)
    learner._pools.send_stretch()
    monkeypatch.setattr("tandem.training.gpu_contrast.AT_ONCE", 1)
    operations = Operations()
    for name in READ:
        original = getattr(torch.Tensor, name)

        def noted(*args, original=original, **kwargs):
            operations.counts["reads"] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(torch.Tensor, name, noted)
    with operations:
        learner.advance()
    return operations.counts
