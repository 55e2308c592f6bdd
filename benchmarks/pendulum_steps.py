"""How long 50 000 steps of the paper's double pendulum take with every scheme, after warm-up.

Processor time: of all steps, and of a step in the fastest thousand.

python benchmarks/pendulum_steps.py
"""

import time

from dovetail.examples import double_pendulum
from dovetail.validation.reproduce.huang2022.measured import STEP, schemes

BATCHES, BATCH = 50, 1000


def batches(scheme):
    """[s] of processor time of each thousand steps."""
    model = double_pendulum.build().build()
    scheme.start(model, None).step(STEP)  # compiles what is not yet
    stepper, spent = scheme.start(model, None), []
    for batch in range(BATCHES):
        began = time.process_time()
        for k in range(batch * BATCH + 1, (batch + 1) * BATCH + 1):
            stepper.step(k * STEP)
        spent.append(time.process_time() - began)
    return spent


def main():
    print("| scheme | 50 000 steps [s] | fastest thousand [us per step] |")
    print("|---|---|---|")
    for name, scheme in schemes().items():
        spent = batches(scheme)
        print(f"| {name} | {sum(spent):.2f} | {min(spent) / BATCH * 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
