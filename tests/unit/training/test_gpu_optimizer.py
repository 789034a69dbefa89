"""Dense steps on a GPU are those of PyTorch's optimisers."""

import pytest
import torch

from tandem.training.gpu_optimizer import GpuOptimizer
from tandem.training.recipe import Recipe


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("decay", ["none", "linear"])
def test_steps_are_those_of_pytorch(optimizer, decay):
    recipe = Recipe(optimizer=optimizer, decay=decay, learning_rate=0.01, embedding_multiplier=5)
    random = torch.Generator().manual_seed(1)
    table, weight = (torch.randn(*shape, generator=random) for shape in ((9, 4), (3,)))
    copies = [tensor.clone().requires_grad_() for tensor in (table, weight)]
    ours = GpuOptimizer([table], [weight], recipe, 6)
    kind = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[optimizer]
    theirs = kind([{"params": [copies[0]], "lr": 0.05}, {"params": [copies[1]], "lr": 0.01}])
    for step in range(6):
        gradients = [torch.randn(t.shape, generator=random) for t in copies]
        factor = 1 - step / 6 if decay == "linear" else 1
        for group, rate in zip(theirs.param_groups, (0.05, 0.01), strict=True):
            group["lr"] = rate * factor
        for copy, gradient in zip(copies, gradients, strict=True):
            copy.grad = gradient
        theirs.step()
        ours.update(gradients)
        for tensor, copy in zip((table, weight), copies, strict=True):
            torch.testing.assert_close(tensor, copy.detach(), rtol=1e-5, atol=1e-6)


def test_a_state_goes_on_to_the_same_bytes():
    recipe, tables = Recipe(decay="linear"), [torch.ones(5, 2), torch.ones(5, 2)]
    first, second = (GpuOptimizer([table], [], recipe, 8) for table in tables)
    gradients = torch.randn(8, 5, 2, generator=torch.Generator().manual_seed(2))
    for gradient in gradients[:4]:
        first.update([gradient])
    second.load_state({name: tensor.clone() for name, tensor in first.state().items()})
    tables[1].copy_(tables[0])
    for gradient in gradients[4:]:
        first.update([gradient])
        second.update([gradient])
    assert torch.equal(*tables)
