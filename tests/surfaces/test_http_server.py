"""The server around the answers: who may ask, whether it is ready, how it ends."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import httpx
import pytest

from tests.surfaces.conftest import SECRET, Server, StartServer
from tests.surfaces.running import salon

pytestmark = pytest.mark.models

QUERY = {"persona": "maren", "question": "What did you bake?"}


def test_health_answers_and_readiness_says_why_not(house: Path, start_server: StartServer) -> None:
    shutil.rmtree(house / "index" / "maren")
    server = start_server(house, SALON_MODELS_CHAT="none")
    health = httpx.get(f"{server.address}/healthz")
    assert (health.status_code, health.json()["status"]) == (200, "ok")
    ready = httpx.get(f"{server.address}/readyz", timeout=60)
    assert ready.status_code == 503
    assert ready.json()["ready"] is False
    assert set(ready.json()["reasons"]) == {"maren"}
    refused = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "index_missing"
    assert "salon index maren" in refused.json()["error"]["cure"]


def test_a_house_whose_only_persona_broke_says_what_is_wrong_with_it(
    house: Path, start_server: StartServer
) -> None:
    shutil.rmtree(house / "personas" / "陶工")
    server = start_server(house, SALON_MODELS_CHAT="none")
    query = f"{server.address}/api/query"
    (house / "personas" / "maren" / "persona.yaml").write_text("name: [")
    broken = httpx.post(query, json={"question": "x"}, timeout=60)
    assert (broken.status_code, broken.json()["error"]["code"]) == (500, "config")
    assert "persona.yaml:2: not YAML" in broken.json()["error"]["message"]
    shutil.rmtree(house / "personas" / "maren")
    empty = httpx.post(query, json={"question": "x"}, timeout=60)
    assert empty.status_code == 404
    assert "there is no persona" in empty.json()["error"]["message"]
    assert "salon new" in empty.json()["error"]["cure"]
    assert httpx.get(f"{server.address}/readyz", timeout=60).status_code == 503


def test_a_served_persona_that_was_taken_away_is_not_ready(
    house: Path, start_server: StartServer
) -> None:
    server = start_server(house, "--persona", "maren", SALON_MODELS_CHAT="none")
    assert httpx.get(f"{server.address}/readyz", timeout=60).status_code == 200
    shutil.rmtree(house / "personas" / "maren")
    ready = httpx.get(f"{server.address}/readyz", timeout=60)
    assert (ready.status_code, set(ready.json()["reasons"])) == (503, {"maren"})


def test_readiness_is_good_when_every_search_can_run(server: Server) -> None:
    ready = httpx.get(f"{server.address}/readyz", timeout=60)
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "reasons": {}})


def test_a_page_of_a_stranger_s_site_is_turned_away(server: Server) -> None:
    query = f"{server.address}/api/query"
    by_name = httpx.post(query, json=QUERY, headers={"Host": "evil.example"})
    assert (by_name.status_code, by_name.json()["error"]["code"]) == (403, "host")
    by_origin = httpx.post(query, json=QUERY, headers={"Origin": "https://evil.example"})
    assert (by_origin.status_code, by_origin.json()["error"]["code"]) == (403, "origin")
    own = httpx.post(query, json=QUERY, headers={"Origin": server.address}, timeout=60)
    assert own.status_code == 200
    assert "access-control-allow-origin" not in own.headers


def test_a_secret_guards_the_api_and_only_the_api(built: Path, start_server: StartServer) -> None:
    server = start_server(
        built, "--host", "0.0.0.0", SALON_MODELS_CHAT="none", SALON_SERVER_SECRET=SECRET
    )
    address = server.address.replace("0.0.0.0", "127.0.0.1")
    query = f"{address}/api/query"
    without = httpx.post(query, json=QUERY)
    assert (without.status_code, without.headers["WWW-Authenticate"]) == (401, "Bearer")
    wrong = httpx.post(query, json=QUERY, headers={"Authorization": f"Bearer {SECRET}x"})
    assert wrong.status_code == 401
    right = httpx.post(query, json=QUERY, headers={"Authorization": f"Bearer {SECRET}"}, timeout=60)
    assert right.status_code == 200
    assert httpx.get(f"{address}/healthz").status_code == 200
    assert SECRET not in server.log.read_text()


def test_beyond_loopback_nothing_is_served_without_a_secret(
    built: Path, tmp_path: Path, models_dir: Path
) -> None:
    done = salon(
        "--house", built, "serve", "--host", "0.0.0.0", "--port", "0",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert done.returncode == 3
    assert "SALON_SERVER_SECRET" in done.stderr


def test_a_port_in_use_is_named(built: Path, tmp_path: Path, models_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = salon("--house", built, "serve", "--port", port, home=tmp_path, models=models_dir)
    assert done.returncode == 3
    assert port in done.stderr
    assert "in use" in done.stderr


def test_ctrl_c_ends_it_cleanly(built: Path, start_server: StartServer) -> None:
    server = start_server(built, SALON_MODELS_CHAT="none")
    httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
    assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()


def test_logs_are_json_lines_with_the_correlation_id(
    built: Path, start_server: StartServer
) -> None:
    server = start_server(built, SALON_MODELS_CHAT="none")
    answer = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60).json()
    server.stop()
    log = server.log.read_text().splitlines()
    lines = [json.loads(line) for line in log if line != "Stopped."]
    own = [line for line in lines if line.get("correlation_id") == answer["correlation_id"]]
    assert own
    assert own[-1]["status"] == 200
    assert QUERY["question"] not in server.log.read_text()


def test_the_front_page_names_the_personas_and_how_to_ask(server: Server) -> None:
    page = httpx.get(server.address)
    assert page.headers["content-type"].startswith("text/html")
    assert "陶工" in page.text
    assert f"curl {server.address}/api/query" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/api/query", 405),
        ("GET", "/api/passages/ffff?persona=maren", 404),
        ("GET", "/api/sources/ffff?persona=maren", 404),
        ("GET", "/api/sources/ffff", 422),
    ],
)
def test_every_failure_has_the_one_shape(
    server: Server, method: str, path: str, status: int
) -> None:
    response = httpx.request(method, f"{server.address}{path}", timeout=60)
    assert response.status_code == status
    assert set(response.json()["error"]) == {"code", "message", "expected", "cure"}
    assert response.headers["X-Correlation-ID"] == response.json()["correlation_id"]
