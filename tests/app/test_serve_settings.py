"""What starts servers, without one: the proxy's configuration, options, the container, processes kept alive."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import yaml
from click.testing import CliRunner

from serve import processes, proxy
from serve.__main__ import main
from serve.processes import Kept
from tests.cases.opened import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OPTIONS = {name: option for option in main.params for name in option.opts}
NOTHING = [sys.executable, "-c", "pass"]


def test_the_configuration_names_the_workers_the_headers_and_the_certificate():
    plain, secure = (
        proxy.configuration("0.0.0.0", 80, [9001, 9002], file) for file in (None, Path("/x.pem"))
    )
    assert not re.search(r"\$[a-z]", plain)
    assert "bind 0.0.0.0:80\n" in plain and "bind 0.0.0.0:80 ssl crt /x.pem" in secure
    assert "server worker2 127.0.0.1:9002 cookie worker2" in plain and " secure " in secure
    set_header = re.findall(r'^    http-response set-header (\S+) "?([^"\n]*)', plain, re.M)
    headers = dict(set_header)
    assert (
        headers["X-Content-Type-Options"] == "nosniff"
        and headers["Referrer-Policy"] == "no-referrer"
    )
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
    rules = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'self'" and rules["object-src"] == "'none'"
    assert rules["frame-ancestors"] == rules["form-action"] == rules["base-uri"] == "'self'"
    assert re.fullmatch(r"'self'( 'sha256-[\w+/=]{44}')+", rules["script-src"])


def test_a_host_that_is_no_name_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr("serve.__main__.haproxy_path", lambda: "haproxy")
    for host in ("dpslr.example.org:443", "https://dpslr.example.org", "a b", 'x" if TRUE', ""):
        ran = CliRunner().invoke(main, ["--host", host])
        assert (
            ran.exit_code == 1 and "a host must be a name such as dpslr.example.org" in ran.output
        )
    assert {"localhost", socket.gethostname().lower(), "a.example"} <= set(
        proxy.host_names(["A.example."])
    )


def test_a_process_starts_after_those_that_it_waits_for():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        following = Kept("following", NOTHING, after=[other.getsockname()[1]])
        following.look()
        assert following.process is None
        other.listen()
        following.look()
        assert following.process is not None
        following.stop()


def test_a_process_that_dies_at_once_is_started_again_after_a_pause(capfd, monkeypatch):
    kept = Kept("it", [sys.executable, "-c", "raise SystemExit(3)"])
    kept.look()
    assert kept.process is not None and kept.process.wait() == 3
    kept.look()
    assert "starting it again" not in capfd.readouterr().err
    monkeypatch.setattr(processes, "_PAUSE", 0.0)
    kept.look()
    assert "it ended with 3; starting it again" in capfd.readouterr().err
    kept.process.wait()


def test_a_kept_process_dies_with_its_keeper_even_by_sigkill():
    keeper = (
        "import sys; from serve.processes import Kept, keep;"
        "keep([Kept('sleeper', [sys.executable, '-c', 'import time; time.sleep(600)'])])"
    )
    with subprocess.Popen([sys.executable, "-c", keeper], cwd=ROOT) as process:
        last = time.monotonic() + 60
        while not (children := psutil.Process(process.pid).children()):
            assert time.monotonic() < last, "waited a minute for the kept process in vain"
            time.sleep(0.02)
        process.kill()
    gone, alive = psutil.wait_procs(children, timeout=60)
    for child in alive:
        child.kill()
    assert len(gone) == 1 and not alive


def test_the_image_is_fixed_and_starts_the_script_with_options_that_it_has():
    assert re.search(
        r"^FROM python:3\.12\.\d+-slim-\w+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE
    )
    assert re.search(r'"haproxy=\d+\.\d+\.\d+\S*"', DOCKERFILE) and "\nUSER app\n" in DOCKERFILE
    assert f"EXPOSE {OPTIONS['--port'].default}" in DOCKERFILE
    (command,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    words = json.loads(command)
    assert words[:3] == ["python", "-m", "serve"] and set(words[3::2]) <= set(OPTIONS)
    (check,) = re.findall(r"^HEALTHCHECK .*CMD (.*)$", DOCKERFILE, re.MULTILINE)
    assert f":{OPTIONS['--port'].default}/_stcore/health" in check
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not {"serve", "app.py", "ui", "pages", "sample_data", ".streamlit"} & set(left_out)


def test_the_compose_file_maps_the_port_and_sets_variables_that_are_read():
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    service = yaml.safe_load(text)["services"]["app"]
    assert service["ports"] == ["127.0.0.1:8501:8501"] and service["cap_drop"] == ["ALL"]
    assert service["pids_limit"] > 0
    variables = {option.envvar for option in main.params}
    assert set(service["environment"]) | set(re.findall(r"DPSLR_\w+", text)) <= variables
