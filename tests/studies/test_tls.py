"""A study on a scheduler that speaks TLS only, on loopback."""

import dask
import pytest
from distributed import LocalCluster, Security
from throws import OUTPUTS

import dovetail as dt

SETTINGS = {
    "tls_ca_file": "distributed.comm.tls.ca-file",
    "tls_client_cert": "distributed.comm.tls.client.cert",
    "tls_client_key": "distributed.comm.tls.client.key",
}


def ball(speed):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(0, 0, speed))
    return scene


def written(security, folder):
    """Dask's settings that name the files of a certificate."""
    folder.mkdir()
    for name in SETTINGS:
        (folder / f"{name}.pem").write_text(getattr(security, name))
    return {setting: str(folder / f"{name}.pem") for name, setting in SETTINGS.items()}


@pytest.fixture(scope="module")
def cluster():
    security = Security.temporary()
    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", security=security, protocol="tls",
        processes=False, dashboard_address="127.0.0.1:0",
    ) as made:  # fmt: skip
        yield made, security


def study(folder, address):
    return dt.study(
        ball, {"speed": [1.0, 2.0]}, OUTPUTS, out=folder, duration=0.05, step=0.01,
        progress=False, scheduler=address,
    )  # fmt: skip


def test_a_study_runs_over_tls_with_a_certificate(tmp_path, cluster):
    made, security = cluster
    assert made.scheduler_address.startswith("tls://127.0.0.1")
    with dask.config.set(written(security, tmp_path / "keys")):
        done = study(tmp_path / "study", made.scheduler_address)
    assert list(done.table["status"]) == ["finished", "finished"]


def test_a_client_without_certificate_or_of_another_authority_gets_no_connection(tmp_path, cluster):
    address = cluster[0].scheduler_address
    with pytest.raises(dt.InputError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE") as caught:
        study(tmp_path / "a", address)
    assert len(caught.value.mistakes) == 3
    with (
        dask.config.set(written(Security.temporary(), tmp_path / "foreign")),
        pytest.raises(dt.InputError, match="can be reached"),
    ):
        study(tmp_path / "b", address)
    with pytest.raises(dt.InputError, match="can be reached"):
        study(tmp_path / "c", address.replace("tls://", "tcp://"))
