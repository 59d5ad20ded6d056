"""Model files: what is saved comes back to the bit, and no file, however broken, does worse than an error."""

import hashlib
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline

import aucmax
from aucmax.io import load_model, save_model
from aucmax.io.storage.codec import CodecError, decode, encode
from aucmax.io.storage.container import MAGIC, ModelFileError
from aucmax.io.storage.models import load_scorer
from aucmax.metrics import StreamingAUC
from aucmax.pairs.losses import SquaredHinge
from aucmax.stochastic.engine.model import Model

LONG = bool(os.environ.get("AUCMAX_LONG_TESTS"))
N_FUZZ = 10_000 if LONG else 200
PRELUDE = struct.Struct("<8sIQQ")


@pytest.fixture(scope="module")
def fitted(problem):
    X, y, _ = problem
    return aucmax.SOLAM(random_state=0, max_iter=2).fit(X, y)


@pytest.fixture(scope="module")
def raw(fitted, tmp_path_factory):
    """The bytes of a model file."""
    path = tmp_path_factory.mktemp("raw") / "model.auc"
    save_model(fitted, path, {"rows": 300})
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "model.auc"


@pytest.mark.parametrize("name", aucmax.__all__)
def test_every_estimator_comes_back(name, problem, tmp_path):
    X, y, _ = problem
    model = getattr(aucmax, name)().fit(X, y)
    save_model(model, tmp_path / "model.auc")
    again = load_model(tmp_path / "model.auc")
    assert type(again) is type(model)
    assert repr(again.get_params()) == repr(model.get_params())
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    public = {key for key in vars(model) if key.endswith("_") and not key.startswith("_")}
    assert public <= set(vars(again))


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1.0, 1.0], [False, True], ["no", "yes"], np.array(["a", "ö"], dtype=object), [3, 250]],
)
def test_labels_of_any_type(labels, problem, tmp_path):
    X, y, _ = problem
    y = np.asarray(labels)[(y > 0).astype(int)]
    model = aucmax.SPAM(max_iter=1, random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.auc")
    again = load_model(tmp_path / "model.auc")
    assert again.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_equal_models_give_equal_bytes(problem, tmp_path):
    X, y, _ = problem
    for name in "ab":
        save_model(aucmax.SPAM(random_state=3).fit(X, y), tmp_path / name, {"rows": 300})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_feature_names_random_state_and_summary(problem, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = problem
    frame = pandas.DataFrame(X, columns=[f"größe {k}" for k in range(X.shape[1])])
    model = aucmax.SOLAM(random_state=np.random.RandomState(5)).fit(frame, y)
    save_model(model, tmp_path / "model.auc", {"auc": 0.9, "folds": [1, 2]})
    again = load_model(tmp_path / "model.auc")
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
    assert again.random_state.randint(1 << 30) == model.random_state.randint(1 << 30)
    scorer = load_scorer(tmp_path / "model.auc")
    assert scorer.feature_names == list(frame.columns)
    assert scorer.summary == {"auc": 0.9, "folds": [1, 2]}
    np.testing.assert_array_equal(scorer.coef, model.coef_[0])


def test_what_cannot_be_saved(fitted, problem, tmp_path):
    path = tmp_path / "model.auc"
    with pytest.raises(ValueError, match="not fitted"):
        save_model(aucmax.SOLAM(), path)
    with pytest.raises(ValueError, match="only the models of aucmax"):
        save_model(make_pipeline(fitted), path)
    strange = aucmax.SOLAM(max_iter=1).fit(*problem[:2]).set_params(tol=object())
    with pytest.warns(UserWarning, match="tol=.*cannot be stored"):
        save_model(strange, path)
    assert load_model(path).tol is None


def test_a_failed_save_leaves_the_old_file(fitted, tmp_path):
    path = tmp_path / "model.auc"
    save_model(fitted, path)
    old = path.read_bytes()
    with pytest.raises(CodecError):
        save_model(fitted, path, {"when": object()})
    with pytest.raises(OSError, match="No space left"):
        save_model(fitted, "/dev/full")
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["model.auc"]


def test_modes_and_links_are_kept(fitted, tmp_path):
    path, link = tmp_path / "model.auc", tmp_path / "link"
    save_model(fitted, path)
    path.chmod(0o640)
    link.symlink_to(path)
    save_model(fitted, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def broken_files(raw):
    text = b"label,age\n1,2\n"
    newer = PRELUDE.pack(MAGIC, 2, *PRELUDE.unpack(raw[: PRELUDE.size])[2:]) + raw[PRELUDE.size :]
    return {
        "is empty": b"",
        "is not a file of aucmax": text,
        "is cut off": raw[:-1],
        "only 20 bytes are there": raw[:20],
        "written by a newer aucmax": newer,
        "is damaged": raw[:-100] + bytes([raw[-100] ^ 1]) + raw[-99:],
        "is damaged: its bytes": raw + b"\0",
        "first bytes make no sense": raw[:20] + b"\xff" * 8 + raw[28:],
    }


def test_broken_files_each_get_one_clear_sentence(raw, tmp_path):
    path = tmp_path / "model.auc"
    for message, content in broken_files(raw).items():
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=message) as caught:
            load_model(path)
        assert "model.auc" in str(caught.value)
        assert "\n" not in str(caught.value)


def sealed(raw, edit):
    """The file with its header edited and its checksum made to fit: whole, but not ours."""
    _, version, _, size = PRELUDE.unpack(raw[: PRELUDE.size])
    header = json.loads(raw[PRELUDE.size : PRELUDE.size + size])
    edited = edit(header)
    text = json.dumps(edited if isinstance(edited, list) else header).encode()
    body = text + raw[PRELUDE.size + size : -32]
    start = PRELUDE.pack(MAGIC, version, PRELUDE.size + len(body) + 32, len(text))
    return start + body + hashlib.sha256(start + body).digest()


@pytest.mark.parametrize(
    "edit",
    [
        lambda h: h.update(estimator="os.system"),
        lambda h: h.update(estimator="metrics"),
        lambda h: h["fitted"].update(coef_={"record": ["os.system", ["true"]]}),
        lambda h: h["fitted"].update(coef_={"record": ["aucmax.__main__.x", []]}),
        lambda h: h["fitted"].update(coef_={"record": ["aucmax.stochastic.engine.model.Model", []]}),
        lambda h: h["fitted"].update(coef_={"array": 99}),
        lambda h: h["fitted"].update(coef_="1.0"),
        lambda h: h["fitted"].update(__class__=1),
        lambda h: h["fitted"].pop("coef_"),
        lambda h: h["parameters"].update(unheard_of=1),
        lambda h: h["arrays"][0].__setitem__(0, "|O8"),
        lambda h: h["arrays"][0].__setitem__(1, [2**62, 2**62]),
        lambda h: h.update(arrays=h["arrays"][:-1]),
        lambda h: h.update(kind="checkpoint"),
        lambda h: h.update(kind=["model"]),
        lambda h: h.pop("fitted"),
        lambda h: [1, 2],
        lambda h: json.loads("[" * 500 + "]" * 500),
    ],
)
def test_forged_headers_are_refused(edit, raw, tmp_path):
    path = tmp_path / "model.auc"
    path.write_bytes(sealed(raw, edit))
    with pytest.raises(ModelFileError):
        load_model(path)


def try_to_load(scratch, content, raw):
    """A model or a ModelFileError; the model only from bytes that were not touched."""
    scratch.write_bytes(content)
    try:
        load_model(scratch)
    except ModelFileError:
        assert content != raw
    else:
        assert content == raw


fuzz = settings(
    max_examples=N_FUZZ, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@fuzz
@given(data=st.data())
def test_fuzz_flips_and_cuts(data, raw, scratch):
    content = bytearray(raw)
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    try_to_load(scratch, bytes(content[:cut]), raw)


@fuzz
@given(noise=st.binary(max_size=300), keep=st.integers(0, 60))
def test_fuzz_random_bytes(noise, keep, raw, scratch):
    try_to_load(scratch, raw[:keep] + noise, raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tuple", "dict", "array", "scalar", "objects", "record", "loss", "object", "float"]
            )
            | st.text(max_size=3),
            inner,
            max_size=2,
        )
    ),
    max_leaves=10,
)


@fuzz
@given(place=st.sampled_from(["fitted", "parameters", "estimator", "arrays", "summary"]), value=JSON)
def test_fuzz_forged_headers(place, value, raw, scratch):
    scratch.write_bytes(sealed(raw, lambda header: header.update({place: value})))
    try:
        load_model(scratch)
        load_scorer(scratch)
    except ModelFileError:
        pass


@pytest.mark.parametrize(
    "value",
    [
        None,
        -0.0,
        float("inf"),
        2**70,
        np.float32(0.1),
        np.str_("x"),
        (1, [2.5, "three"], {"four": None}),
        {"tuple": [1]},
        SquaredHinge(),
        Model(np.arange(3.0), np.zeros(0), seen=7),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3), dtype=np.int32),
    ],
    ids=repr,
)
def test_codec_gives_back_what_it_was_given(value):
    arrays = []
    again = decode(json.loads(json.dumps(encode(value, arrays))), arrays)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize("settings", [{}, {"capacity": 50}, {"window": 30}, {"classes": ("n", "p")}])
def test_codec_keeps_a_streaming_auc(settings):
    rng = np.random.default_rng(0)
    labels = np.asarray(settings.get("classes", (0, 1)))
    y, score = labels[rng.integers(0, 2, 200)], rng.normal(size=200)
    stream, arrays = StreamingAUC(**settings).update(y[:100], score[:100]), []
    again = decode(json.loads(json.dumps(encode(stream, arrays))), [x.copy() for x in arrays])
    assert again.update(y[100:], score[100:]).bounds == stream.update(y[100:], score[100:]).bounds
    assert again.classes == stream.classes


@pytest.mark.parametrize("value", [object(), {1: 2}, np.array([1j]), lambda: 0, json])
def test_codec_refuses_the_rest(value):
    with pytest.raises(CodecError):
        encode(value, [])


def test_loading_compiles_nothing_and_imports_little(raw, tmp_path):
    (tmp_path / "model.auc").write_bytes(raw)
    code = """
import sys
from aucmax.io.storage.models import load_model, load_scorer
load_scorer(sys.argv[1])
assert not {"sklearn", "pandas", "numba", "scipy"} & set(sys.modules), "load_scorer imports too much"
model = load_model(sys.argv[1])
import gc, numba
compiled = [d for d in gc.get_objects() if isinstance(d, numba.core.dispatcher.Dispatcher) and d.signatures]
assert not [d for d in compiled if d.py_func.__module__.startswith("aucmax")], compiled
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "model.auc")], check=True)
