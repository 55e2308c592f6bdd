"""Distance fields: the figures of `dovetail bench` that concern them, at full size.

python benchmarks/sdf.py [MESH]    (MESH: a closed mesh file such as horse.ply)
"""

import sys

from dovetail.cli.bench_command import command

if __name__ == "__main__":
    mesh = ["--mesh", sys.argv[1]] if len(sys.argv) > 1 else []
    command(["field_queries", "field_building", "detection", "--full", *mesh])
