"""How large a file may be before it is refused, so that a hostile one costs little."""

LARGEST_SCENE_BYTES = 64 * 1024**2
LARGEST_MESH_BYTES = 256 * 1024**2
DEEPEST_NESTING = 64
MAX_VALUES = 3_000_000  # scalars, lists and mappings of one scene file, aliases expanded
MAX_KEYS = 200  # of one mapping; the largest of the format has 17
MAX_ENTRIES = 100_000  # bodies, joints, loads or materials
MAX_MISTAKES = 50  # sentences of one error, before "and N more"
LARGEST_NUMBER = 1e40  # beyond any SI quantity; products of eight stay finite
