"""The container runs what the tests of serving run: the same command, the same proxy, the same port."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from serve.__main__ import main

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OPTIONS = {name: option for option in main.params for name in option.opts}


def test_the_image_starts_the_script_with_options_that_it_has():
    (command,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    words = json.loads(command)
    program, rest = words[:3], words[3::2]
    assert program == ["python", "-m", "serve"] and set(rest) <= set(OPTIONS)
    assert "haproxy" in DOCKERFILE and "\nUSER app\n" in DOCKERFILE
    assert f"EXPOSE {OPTIONS['--port'].default}" in DOCKERFILE


def test_image_and_haproxy_are_fixed_and_the_health_check_asks_the_app():
    assert re.search(r"^FROM python:3\.12\.\d+-slim-\w+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)
    assert re.search(r'"haproxy=\d+\.\d+\.\d+\S*"', DOCKERFILE)
    (command,) = re.findall(r"^HEALTHCHECK .*CMD (.*)$", DOCKERFILE, re.MULTILINE)
    assert json.loads(command) == ["python", "-m", "serve.health"]


def test_what_the_image_copies_has_the_script_and_the_app():
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not {"serve", "app.py", "ui", "pages", "sample_data", ".streamlit"} & set(left_out)


def test_the_compose_file_maps_the_port_and_sets_variables_that_are_read():
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    service = yaml.safe_load(text)["services"]["app"]
    assert service["ports"] == ["127.0.0.1:8501:8501"] and service["cap_drop"] == ["ALL"]
    assert service["pids_limit"] > 0
    read = {option.envvar for option in main.params}
    assert set(service["environment"]) | set(re.findall(r"DPSLR_\w+", text)) <= read
