"""Work of one shape that a GPU repeats: recorded as a graph and replayed.

To give a GPU a step of a hundred operations takes the host longer than the GPU needs to do them;
a recorded step is given as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


class Graphs:
    """Work on tensors that are replaced from time to time, by the key of its shape.

    On a CPU nothing is recorded, and the work is simply done.
    """

    def __init__(self, device: torch.device, recorded: bool = True) -> None:
        """Record nothing unless work can be `recorded`."""
        self._recorded = recorded
        self._device, self._gpu = device, device.type == "cuda"
        self._stream = torch.cuda.Stream(device) if self._gpu else None
        self._pool = torch.cuda.graph_pool_handle() if self._gpu else None
        self._done = Counter[Hashable]()
        self._graphs: dict[Hashable, tuple[_Held, Sequence[Tensor], torch.cuda.CUDAGraph]] = {}

    def stream(self) -> AbstractContextManager[object]:
        """Return the context in which all work on the same tensors must be done."""
        return torch.cuda.stream(self._stream) if self._gpu else nullcontext()

    def join(self) -> None:
        """Let what is done after this, outside of the stream, see what was done in it."""
        if self._stream is not None:
            torch.cuda.current_stream(self._device).wait_stream(self._stream)

    def follow(self) -> None:
        """Let what is done in the stream see what was done outside before."""
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream(self._device))

    def forget(self) -> None:
        """Drop what was recorded: tensors that it read are elsewhere now."""
        if self._graphs:
            torch.cuda.synchronize(self._device)
            self._pool = torch.cuda.graph_pool_handle()  # that of no graph is none any more
        self._graphs.clear()
        self._done.clear()

    def run(
        self,
        key: Hashable,
        work: Callable[..., Sequence[Tensor] | None],
        inputs: Sequence[Tensor],
        before: int = 0,
    ) -> Sequence[Tensor]:
        """Do the work on these inputs, in the stream of `stream`; return what it returns.

        Shapes, and all else that the work depends on, go with the key. It is recorded once it was
        done `before` times and once more: libraries set themselves up in the first. What recorded
        work returns is overwritten when it is done again.
        """
        if key in self._graphs:
            held, returned, graph = self._graphs[key]
            held.fill(inputs)
            graph.replay()
            return returned
        self._done[key] += 1
        if not (self._gpu and self._recorded) or self._done[key] <= before:
            return work(*inputs) or ()
        held = _Held(inputs)
        returned = work(*inputs) or ()  # not of the memory that recorded work shares
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(self._device)
        # `torch.cuda.graph` would also collect garbage and give all free memory back each time
        graph.capture_begin(pool=self._pool)
        for kept, tensor in zip(returned, work(*held.tensors) or (), strict=True):
            kept.copy_(tensor)
        graph.capture_end()
        self._graphs[key] = held, returned, graph
        return returned


class _Held:
    """The tensors that recorded work reads; those of int64 lie together, to be filled at once."""

    def __init__(self, inputs: Sequence[Tensor]) -> None:
        numbers = [tensor.flatten() for tensor in inputs if tensor.dtype == torch.int64]
        self._numbers = torch.cat(numbers)
        parts = iter(self._numbers.split([len(part) for part in numbers]))
        self.tensors = [
            next(parts).view(tensor.shape) if tensor.dtype == torch.int64 else tensor.clone()
            for tensor in inputs
        ]

    def fill(self, inputs: Sequence[Tensor]) -> None:
        """Take over the values of tensors like those that it was made from."""
        numbers = [tensor.flatten() for tensor in inputs if tensor.dtype == torch.int64]
        torch.cat(numbers, out=self._numbers)
        for held, tensor in zip(self.tensors, inputs, strict=True):
            if tensor.dtype != torch.int64:
                held.copy_(tensor)
