"""What all tests share."""

import os

import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(max(1, int(os.environ.get("OMP_NUM_THREADS", "2"))))
settings.register_profile(
    "quiet", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("quiet")


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="write the expected messages anew"
    )
