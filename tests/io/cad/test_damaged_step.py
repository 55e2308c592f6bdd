"""STEP files that are not whole end with a sentence: no part and no face is missing silently."""

import re
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import InputError
from dovetail.io.cad import step
from dovetail.io.cad.assembly import read_parts
from dovetail.io.cad.holes import widest_hole
from dovetail.io.cad.kernel import tessellated_file
from dovetail.io.cad.step_text import StepText

STEP = Path(__file__).parent / "pin_in_block.step"
TEXT = STEP.read_text()


def damaged(tmp_path, old, new):
    """The file with one entity changed."""
    assert len(re.findall(old, TEXT)) == 1
    path = tmp_path / "damaged.step"
    path.write_text(re.sub(old, new, TEXT))
    return path


@pytest.mark.parametrize("number", [36, 138, 304, 511])  # a part, a vector, a face, a corner
def test_a_file_without_one_of_its_entities_is_refused(tmp_path, number):
    """Open CASCADE leaves the part or the face out, or ends the process."""
    path = damaged(tmp_path, rf"(?m)^#{number} = [^;]*;", "")
    with pytest.raises(InputError, match=f"incomplete: it names #{number} "):
        read_parts(path)


def test_a_part_whose_shape_cannot_be_read_is_missed(tmp_path):
    pytest.importorskip("cascadio")
    path = damaged(tmp_path, r"#36 = ADVANCED_BREP_SHAPE", "#36 = OTHER_SHAPE")
    with pytest.raises(InputError, match="has 2 parts, of which only 1"):
        read_parts(path)


def test_a_face_that_cannot_be_read_leaves_a_hole_that_is_refused(tmp_path):
    pytest.importorskip("cascadio")
    path = damaged(tmp_path, "#304 = CYLINDRICAL_SURFACE", "#304 = OTHER_SURFACE")
    with pytest.raises(InputError, match="part 'block' has a hole"):
        read_parts(path)


def test_numbers_beyond_all_floats_are_refused(tmp_path):
    path = damaged(
        tmp_path, r"#324 = CARTESIAN_POINT\(''\,\(-10", "#324 = CARTESIAN_POINT('',(1E400"
    )
    with pytest.raises(InputError, match="1E400 must be a finite number"):
        read_parts(path)


def test_a_file_that_ends_the_kernel_does_not_end_the_process(tmp_path):
    pytest.importorskip("cascadio")
    path = damaged(tmp_path, r"(?m)^#138 = [^;]*;", "")
    with pytest.raises(InputError, match="it ends the CAD kernel"):
        tessellated_file(path, 1e-5, 0.35)


def test_names_in_quotation_marks_are_no_entities():
    data = b"#1 = PRODUCT('#7 and ''#8''','',$,()); /* #9 */ #2 = PRODUCT_DEFINITION('',$,#1,#1);"
    StepText(data, "a").refuse_incomplete()


def test_parts_are_counted_in_all_of_their_places():
    def product(n, shape="ADVANCED_BREP_SHAPE_REPRESENTATION"):
        return (
            f"#{n} = PRODUCT_DEFINITION('','',#1,#1);"
            f"#{n + 1} = PRODUCT_DEFINITION_SHAPE('','',#{n}); #{n + 2} = {shape}('',(),#1);"
            f"SHAPE_DEFINITION_REPRESENTATION(#{n + 1},#{n + 2});"
        )

    used = "NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{},#{},$);"
    tree = [(10, 20), (10, 20), (20, 30), (20, 40), (10, 30)]
    whole = product(10, "SHAPE_REPRESENTATION") + product(20, "SHAPE_REPRESENTATION")
    text = whole + product(30) + "".join(used.format(*pair) for pair in tree)
    empty = text + product(40, "SHAPE_REPRESENTATION")
    assert StepText(empty.encode(), "a").n_parts == 3
    assert StepText((text + product(40)).encode(), "a").n_parts == 5
    related = empty + "#99 = SHAPE_REPRESENTATION_RELATIONSHIP('','',#42,#43);"
    assert StepText(related.encode(), "a").n_parts == 5
    assert StepText(TEXT.encode(), "a").n_parts == 2


def test_a_hole_is_as_wide_as_its_area_over_half_its_length():
    surface = dt.Box((1, 2, 3)).surface()
    vertices, faces = np.array(surface.vertices), np.array(surface.faces)
    top = np.all(np.isclose(vertices[faces][:, :, 2], 1.5), axis=1)
    assert widest_hole(vertices, faces, 1e-6) == 0.0
    assert widest_hole(vertices, faces[~top], 1e-6) == pytest.approx(2 * 2 / 6)


def test_a_crack_between_two_faces_is_no_hole():
    surface = dt.Box((1, 2, 3)).surface()
    vertices, faces = np.array(surface.vertices), np.array(surface.faces)
    top = np.all(np.isclose(vertices[faces][:, :, 2], 1.5), axis=1)
    cut = np.concatenate([vertices, vertices + np.array((0, 0, 1e-7))])
    crack = np.where(top[:, None], faces + len(vertices), faces)
    assert widest_hole(cut, crack, 1e-6) < 1e-6


def test_a_file_is_examined_once_whatever_its_tolerances(tmp_path, monkeypatch):
    pytest.importorskip("cascadio")
    path = tmp_path / "pin.step"
    path.write_text(TEXT)
    seen = {"texts": 0, "holes": 0}

    def counted(name, function):
        def call(*args):
            seen[name] += 1
            return function(*args)

        return call

    monkeypatch.setattr(step, "StepText", counted("texts", StepText))
    monkeypatch.setattr(step, "widest_hole", counted("holes", widest_hole))
    for part in step.read_step(path):
        part.shape.refined(4)
    assert seen == {"texts": 1, "holes": 2}
