"""Debian source packages through the apt that is already configured here; no host is named.

Everything apt writes lies in one private folder, so the system's configuration is read and never
changed, and root is not needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from forerun.errors import ForerunError, ToolMissing
from forerun.files import locked

# `Dir::Etc::trusted` and friends keep the system's values: signatures are still checked with its keys.
APT_CONF = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State::Lists "{home}/lists";
Dir::Cache "{home}/cache";
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "{home}/sources";
Acquire::Languages "none";
Acquire::Retries "3";
"""

SUITE = r"(?:{codename}|stable|oldstable|testing|unstable|sid)(?:[-/](?:updates|security|proposed-updates))?/?"


def deb_src(text: str, codename: str) -> str:
    """The deb-src form of a one-line `*.list`; lines that are not the distribution's own are dropped."""
    found = (deb_src_line(line, codename) for line in text.splitlines())
    return "".join(f"{line}\n" for line in dict.fromkeys(found) if line)


def deb_src_line(line: str, codename: str) -> str | None:
    """One line of a `*.list`: `deb [options] URI suite components...`, or None."""
    parts = re.match(r"deb(?:-src)?\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]+)", line.strip())
    if not parts or not own([parts[3]], parts[4].split(), codename):
        return None
    return f"deb-src {parts[1] or ''}{parts[2]} {parts[3]} {' '.join(parts[4].split())}"


def deb822_src(text: str, codename: str) -> str:
    """The deb-src form of a deb822 `*.sources`; stanzas that are disabled or not the distribution's are dropped."""
    stanzas = (deb822_stanza(stanza, codename) for stanza in re.split(r"\n[ \t]*\n", text))
    return "\n".join(stanza for stanza in dict.fromkeys(stanzas) if stanza)


def deb822_stanza(stanza: str, codename: str) -> str | None:
    """One stanza with `Types: deb-src`, or None."""
    fields = deb822_fields(stanza)
    words = {name.lower(): value.split() for name, value in fields.items()}
    enabled = (words.get("enabled") or ["yes"])[0].lower() not in {"no", "false", "off", "0", "without", "disable"}
    if not enabled or not own(words.get("suites", []), words.get("components", []), codename):
        return None
    return "".join(
        f"{name}: deb-src\n" if name.lower() == "types" else f"{name}:{value}\n" for name, value in fields.items()
    )


def deb822_fields(stanza: str) -> dict[str, str]:
    """Names to raw values, which keep their continuation lines: `Signed-By` may hold a whole key."""
    lines = [line for line in stanza.splitlines() if not line.startswith("#")]
    matches = re.finditer(r"^([A-Za-z][\w-]*):(.*(?:\n[ \t].*)*)", "\n".join(lines), re.MULTILINE)
    return {field[1]: field[2] for field in matches}


def own(suites: list[str], components: list[str], codename: str) -> bool:
    """Whether a source looks like the distribution's own: third parties name other suites or components."""
    suite = re.compile(SUITE.format(codename=re.escape(codename) or "stable"))
    return bool(suites) and "main" in components and all(suite.fullmatch(name) for name in suites)


def codename(os_release: Path = Path("/etc/os-release")) -> str:
    """The release this machine runs, such as `bookworm`; empty where it does not say."""
    text = os_release.read_text(encoding="utf-8") if os_release.is_file() else ""
    found = re.search(r'^VERSION_CODENAME="?([\w-]+)', text, re.MULTILINE)
    return found[1] if found else ""


def require(tool: str, package: str) -> None:
    """Raises ToolMissing where `tool` is not on the PATH."""
    if shutil.which(tool) is None:
        raise ToolMissing(f"{tool} is missing", "source packages are unpacked with it", f"apt install {package}")


def configure(home: Path, etc: Path = Path("/etc/apt")) -> Path:
    """Writes a private configuration below `home` with only source archives; its path.

    Raises ForerunError when `etc` names no archive of the distribution.
    """
    for folder in ("sources", "lists/partial", "cache/archives/partial"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    lists = [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]
    one_line = deb_src("\n".join(read(path) for path in lists), codename())
    deb822 = deb822_src("\n\n".join(read(path) for path in sorted(etc.glob("sources.list.d/*.sources"))), codename())
    if not one_line and not deb822:
        raise ForerunError(f"no Debian archive in {etc}", "source packages come from there", "see man sources.list")
    (home / "sources/forerun.list").write_text(one_line, encoding="utf-8")
    (home / "sources/forerun.sources").write_text(deb822, encoding="utf-8")
    (home / "apt.conf").write_text(APT_CONF.format(home=home), encoding="utf-8")
    return home / "apt.conf"


def read(path: Path) -> str:
    """The text of a file, empty where there is none or it may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def download(name: str, folder: Path, home: Path) -> Path:
    """Downloads the source package `name` into `folder`; the path of its .dsc.

    Raises ToolMissing without apt or dpkg-dev, ForerunError when apt cannot get the package.
    """
    require("apt-get", "apt")
    require("dpkg-source", "dpkg-dev")
    with locked(home / "lock"):
        conf = configure(home)
        # Lists are refreshed only on failure: most packages come from the lists of the first one.
        if apt_get(conf, folder, "source", "--download-only", "--only-source", name):
            apt_get(conf, folder, "update")
            error = apt_get(conf, folder, "source", "--download-only", "--only-source", name)
            if error:
                what = f"cannot get the Debian source package {name}"
                raise ForerunError(what, error, "a mirror may lack it: try again later, or another package")
    return next(folder.glob("*.dsc"))


def apt_get(conf: Path, folder: Path, *words: str) -> str | None:
    """Runs apt-get with the private configuration; its first error line, or None."""
    command = ["apt-get", "-q", "-c", str(conf), *words]
    run = subprocess.run(command, cwd=folder, env=os.environ | {"LC_ALL": "C"}, capture_output=True, encoding="utf-8")
    if run.returncode == 0:
        return None
    lines = [line for line in run.stderr.splitlines() if line.startswith("E:")]
    return (lines or ["apt-get failed without a word"])[0]


def unpack(dsc: Path, target: Path) -> None:
    """Unpacks a source package, Debian's patches applied, into the new folder `target`. Raises ForerunError."""
    command = ["dpkg-source", "-x", str(dsc), str(target)]
    run = subprocess.run(
        command, cwd=dsc.parent, env=os.environ | {"LC_ALL": "C"}, capture_output=True, encoding="utf-8"
    )
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ForerunError(f"cannot unpack {dsc.name}", last, "df -h; then try again")
