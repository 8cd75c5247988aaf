"""What a rank needs before MPI starts: each missing thing is named in one line, with what to install."""

from __future__ import annotations

import importlib.util

import pytest

from solver.cli.mpi import mpi_at_hand, require_launcher
from solver.errors import AbapaError

RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID", "SLURM_PROCID")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in RANKS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", RANKS)
def test_the_rank_that_a_launcher_tells(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "3")
    assert require_launcher() == 3


def test_without_mpi4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PMI_RANK", "0")
    with pytest.raises(AbapaError, match=r"install it with pip install 'abapa\[mpi\]'"):
        require_launcher()


def test_without_a_launcher() -> None:
    with pytest.raises(AbapaError, match="accepted is mpiexec -n 4 abapa build"):
        require_launcher()


@pytest.mark.parametrize("error", [ImportError("libmpi.so.12"), RuntimeError("cannot load MPI library")])
def test_without_an_mpi(error: Exception) -> None:
    with pytest.raises(AbapaError, match=r"finds no MPI .*: install one, as with pip install mpich"), mpi_at_hand():
        raise error
