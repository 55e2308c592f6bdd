"""URDF and MJCF files that attack: each function writes one and returns its name."""

from pathlib import Path

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def _urdf(folder: Path, inside: str, before: str = "") -> str:
    (folder / "r.urdf").write_text(f'{before}<robot name="r">{inside}</robot>')
    return "r.urdf"


def _mjcf(folder: Path, inside: str, before: str = "") -> str:
    (folder / "m.xml").write_text(f"{before}<mujoco>{inside}</mujoco>")
    return "m.xml"


def _entities() -> str:
    rows = ['<!ENTITY l0 "lol">']
    rows += [f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 12)]
    return f"<!DOCTYPE robot [{''.join(rows)}]>"


def entity_bomb(folder: Path) -> str:
    return _urdf(folder, '<link name="&l11;"/>', _entities())


def entity_bomb_in_mjcf(folder: Path) -> str:
    before = _entities().replace("robot", "mujoco")
    return _mjcf(folder, '<worldbody name="&l11;"/>', before)


def quadratic_entities(folder: Path) -> str:
    before = f'<!DOCTYPE robot [<!ENTITY a "{"a" * 1_000_000}">]>'
    return _urdf(folder, f'<link name="{"&a;" * 100_000}"/>', before)


def external_entity(folder: Path) -> str:
    before = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    return _urdf(folder, '<link name="a"/>&x;', before)


def external_document_type(folder: Path) -> str:
    before = '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/none.dtd">'
    return _urdf(folder, '<link name="&x;"/>', before)


def deep_elements(folder: Path) -> str:
    return _mjcf(folder, "<worldbody>" + "<body>" * 2_000_000)


def deep_urdf(folder: Path) -> str:
    return _urdf(folder, "<link>" * 2_000_000)


def million_elements(folder: Path) -> str:
    return _urdf(folder, '<link name="a"/>' * 1_000_000)


def million_attributes(folder: Path) -> str:
    return _urdf(folder, "<link " + " ".join(f'a{k}="1"' for k in range(1_000_000)) + "/>")


def long_attribute(folder: Path) -> str:
    return _urdf(folder, f'<link name="{"x" * 50_000_000}"/>')


def million_comments(folder: Path) -> str:
    return _mjcf(folder, "", "<!-- -->" * 5_000_000)


def unclosed_comment(folder: Path) -> str:
    return _mjcf(folder, "", "<!--" * 10_000_000)


def long_chain(folder: Path) -> str:
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>' for k in range(100_000))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(99_999)
    )
    return _urdf(folder, links + joints)


def ring_of_joints(folder: Path) -> str:
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>' for k in range(20_000))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k}"/>'
        f'<child link="l{(k + 1) % 20_000}"/></joint>'
        for k in range(20_000)
    )
    return _urdf(folder, links + joints)


def not_a_number(folder: Path) -> str:
    link = f'<link name="a">{INERTIAL.replace("1", "nan")}</link>'
    return _urdf(folder, link)


def infinite_origin(folder: Path) -> str:
    origin = '<inertial><origin xyz="inf 0 0"/><mass value="1e400"/></inertial>'
    return _urdf(folder, f'<link name="a">{origin}</link>')


def mesh_path_above(folder: Path) -> str:
    geometry = '<geometry><mesh filename="package://../../../../../etc/passwd"/></geometry>'
    return _urdf(folder, f'<link name="a">{INERTIAL}<collision>{geometry}</collision></link>')


def mesh_from_the_net(folder: Path) -> str:
    geometry = '<geometry><mesh filename="http://127.0.0.1:9/x.stl"/></geometry>'
    return _urdf(folder, f'<link name="a">{INERTIAL}<collision>{geometry}</collision></link>')


def include_of_itself(folder: Path) -> str:
    return _mjcf(folder, '<include file="m.xml"/>')


def includes_that_double(folder: Path) -> str:
    """Each file includes the next twice: 2^40 of them if any came twice."""
    for k in range(40):
        name = "m.xml" if k == 0 else f"i{k}.xml"
        (folder / name).write_text(f'<mujoco>{f"""<include file="i{k + 1}.xml"/>""" * 2}</mujoco>')
    (folder / "i40.xml").write_text("<mujoco/>")
    return "m.xml"


def include_above(folder: Path) -> str:
    return _mjcf(folder, '<include file="../../../../../etc/passwd"/>')


def mesh_above_by_its_folder(folder: Path) -> str:
    asset = '<compiler meshdir="../../../../etc"/><asset><mesh name="m" file="passwd"/></asset>'
    return _mjcf(folder, asset)


def billion_copies(folder: Path) -> str:
    copies = '<replicate count="1000000000"><body><geom size="1"/></body></replicate>'
    return _mjcf(folder, f"<worldbody>{copies}</worldbody>")


def billion_rows_of_heights(folder: Path) -> str:
    field = '<hfield name="h" nrow="1000000000" ncol="1000000000" size="1 1 1 1"/>'
    ground = '<geom type="hfield" hfield="h"/>'
    return _mjcf(folder, f"<asset>{field}</asset><worldbody>{ground}</worldbody>")


def nested_defaults(folder: Path) -> str:
    inside = "".join(f'<default class="c{k}"><geom size="1"/>' for k in range(190))
    return _mjcf(folder, f"<default>{inside}{'</default>' * 190}</default>")
