"""Makes the wheel and the archive of the package with the standard library alone (PEP 517), so that pip needs no network."""

import base64
import hashlib
import tarfile
import tomllib
import zipfile
from pathlib import Path

root = Path(__file__).parent
project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
name = f"{project['name']}-{project['version']}"
wheel_file = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def metadata() -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {package}; extra == '{extra}'" for package in packages]
    return "\n".join(lines) + "\n\n" + (root / "README.md").read_text(encoding="utf-8")


def sources() -> dict[str, bytes]:
    """The files of the package, by their path below the folder of the project."""
    found = [path for path in sorted((root / "tidemark").rglob("*")) if path.suffix == ".py" or path.name == "py.typed"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def record_line(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{name}.dist-info"
    files = sources() | {f"{info}/METADATA": metadata().encode(), f"{info}/WHEEL": wheel_file.encode()}
    record = "".join(record_line(path, content) for path, content in files.items()) + f"{info}/RECORD,,\n"
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in (files | {f"{info}/RECORD": record.encode()}).items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    sdist = f"{name}.tar.gz"
    with tarfile.open(Path(sdist_directory) / sdist, "w:gz") as archive:
        for path in ["pyproject.toml", "README.md", "build_backend.py", *sources()]:
            archive.add(root / path, f"{name}/{path}")
    return sdist
