"""Configuration of the IR tests: `ktir-opt` and `filecheck` of the environment that runs lit."""

import os
import sys

import lit.formats

config.name = "ktir"  # noqa: F821  (lit provides `config`)
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["producers", "python", "Output"]  # noqa: F821  (kernels, not tests)
config.test_source_root = os.path.dirname(__file__)  # noqa: F821
config.test_exec_root = os.path.join(  # noqa: F821
    os.path.dirname(os.path.dirname(__file__)), "build", "lit"
)
config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [os.path.dirname(sys.executable), os.environ.get("PATH", "")]
)
