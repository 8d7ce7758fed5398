"""Tunes a PyTorch module on generated data.

A small network learns to tell vertical from horizontal stripes. Then lpot.tune() finds its int8 version.
The lines marked with %% are cells, so that editors can run the file like a notebook.
"""

# %% Data: 16 x 16 pictures with noise; the label says whether the stripes are vertical.
import torch

import lpot


def make_pictures(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 2, (count,), generator=random)
    stripes = (torch.arange(16) // 2 % 2).float().expand(count, 16, 16)
    pictures = torch.where(labels[:, None, None] == 1, stripes, stripes.mT)
    noise = torch.randn(count, 1, 16, 16, generator=random)
    return pictures[:, None] + 1.5 * noise, labels


x_train, y_train = make_pictures(2048, seed=0)
x_test, y_test = make_pictures(2000, seed=1)

# %% The network, trained for a few seconds.
torch.manual_seed(0)
module = torch.nn.Sequential(
    torch.nn.Conv2d(1, 32, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.Conv2d(32, 32, 3, stride=2, padding=1),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(32 * 8 * 8, 2),
)
optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)
for _ in range(3):
    for start in range(0, len(x_train), 64):
        rows = slice(start, start + 64)
        loss = torch.nn.functional.cross_entropy(module(x_train[rows]), y_train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
module.eval()

# %% Tune: calibrate with the training data, evaluate with the test data.
result = lpot.tune(
    module,
    (x_test, y_test),
    metric="accuracy",
    max_loss=0.01,
    calibration=x_train,
)
print(result)

# %% Use the int8 model like the module, and save it.
classes = result.model(x_test[:8]).argmax(1)
print("int8 predictions:", classes.tolist())
result.save("int8")

# %% All trials as rows; pandas.DataFrame(result.trials) shows them as a table.
for row in result.trials:
    print(f"trial {row['trial']}: {row['ranges']}")
