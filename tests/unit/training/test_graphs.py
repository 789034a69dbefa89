"""Work that is recorded does what it does when it is simply done."""

import pytest
import torch

from tandem.training.graphs import Graphs


@pytest.mark.parametrize("device", ["cpu", *(["cuda"] if torch.cuda.is_available() else [])])
def test_recorded_work_does_the_same(device):
    graphs, total = Graphs(torch.device(device)), torch.zeros(3, device=device)

    def work(numbers, flags):
        total.add_(numbers * flags)
        return [numbers + 1]

    returned, expected = [], torch.zeros(3)
    with graphs.stream():
        for turn in range(8):
            if turn == 4:
                graphs.forget()  # and record anew
            numbers = torch.arange(3, device=device) + turn
            flags = torch.tensor([True, turn % 2 == 0, False], device=device)
            (one_more,) = graphs.run("key", work, [numbers, flags])
            returned.append(one_more.tolist())
            expected += numbers.cpu() * flags.cpu()
    graphs.join()
    assert total.tolist() == expected.tolist()
    assert returned == [[turn + 1, turn + 2, turn + 3] for turn in range(8)]
