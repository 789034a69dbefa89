"""A Slurm cluster of one node on 127.0.0.1, for the time of a test: all of it in one folder."""

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
START_TIMEOUT_S = 60

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MinJobAge=600
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Return why no cluster can be started here, or None."""
    paths = os.environ["PATH"] + ":/usr/sbin"
    missing = [name for name in (*DAEMONS, "sbatch") if not shutil.which(name, path=paths)]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)"
    return None if os.geteuid() == 0 else "slurmd needs root"


@contextlib.contextmanager
def cluster(folder: Path):
    """Start the three daemons in a folder; yield the environment that finds them; stop them.

    Each has all cores and all memory to give, so a cluster of another process is waited for.
    """
    environment = os.environ | {
        "SLURM_CONF": str(folder / "slurm.conf"),
        "PATH": f"{folder}/bin:{os.environ['PATH']}:/usr/sbin",
    }
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir(parents=True)
    # inside a job Snakemake drops SLURM_*, and this configuration is not where srun would look
    srun = folder / "bin/srun"
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n')
    srun.chmod(0o755)
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            folder=folder,
            controller_port=_free_port(),
            node_port=_free_port(),
            cpus=os.cpu_count(),
            memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 - 1024,
        )
    )
    with contextlib.ExitStack() as stack:
        alone = Path(tempfile.gettempdir(), "tandem-tests-slurm.lock")
        fcntl.flock(stack.enter_context(open(alone, "w")), fcntl.LOCK_EX)
        for name, command in _commands(folder).items():
            log = stack.enter_context(open(folder / f"{name}.log", "w"))
            process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
            stack.callback(_stop, process)
        _wait_until_idle(environment, folder)
        yield environment


def _commands(folder):
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    files = {"socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    munge = [f"--{option}={folder}/munge.{suffix}" for option, suffix in files.items()]
    return {
        "munged": ["munged", "--foreground", "--force", f"--key-file={key}", *munge],
        "slurmctld": ["slurmctld", "-D", "-c"],
        "slurmd": ["slurmd", "-D", "-c"],
    }


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_idle(environment, folder):
    deadline = time.monotonic() + START_TIMEOUT_S
    state = ""
    while time.monotonic() < deadline:
        found = subprocess.run(
            ["sinfo", "--noheader", "-o", "%t"], env=environment, capture_output=True, text=True
        )
        state = found.stdout.strip() or found.stderr.strip()
        if state == "idle":
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text()[-2000:] for path in folder.glob("*.log"))
    raise RuntimeError(f"the cluster is not idle but {state!r}:\n{logs}")


def _stop(process):
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
