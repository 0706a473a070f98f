"""Settings from salon.toml and the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from salon.errors import ConfigError
from salon.settings import SETTINGS, Settings, house_folder, load


@pytest.fixture
def toml(tmp_path: Path):
    def write(text: str) -> Path:
        file = tmp_path / "salon.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path / "salon.toml", {"SALON_MODELS": str(tmp_path)})
    assert settings == Settings(models_dir=tmp_path)


def test_file_is_read(toml) -> None:
    settings = load(
        toml(
            'embedder = "openai:text-embedding-3-small"\nfetch = false\n'
            '[models]\nchat = "anthropic:claude-sonnet-4-5"\n'
            "[server]\nport = 5051\n[limits]\nanswer_seconds = 60\n"
            '[backends.http]\nurl = "http://127.0.0.1:8080/v1"\ntimeout = 30\n'
        ),
        {},
    )
    assert settings.embedder == "openai:text-embedding-3-small"
    assert settings.fetch is False
    assert settings.models.chat == "anthropic:claude-sonnet-4-5"
    assert settings.server.port == 5051
    assert settings.limits.answer_seconds == 60.0
    assert settings.options("http") == {"url": "http://127.0.0.1:8080/v1", "timeout": "30"}
    assert settings.options("never") == {}


def test_environment_is_stronger_than_the_file(toml) -> None:
    file = toml('[models]\nchat = "local"\n[server]\nport = 1\n')
    environ = {"SALON_MODELS_CHAT": "none", "SALON_SERVER_PORT": "6000", "SALON_FETCH": "off"}
    settings = load(file, environ)
    assert (settings.models.chat, settings.server.port, settings.fetch) == ("none", 6000, False)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.path)
def test_every_setting_has_its_variable_and_its_place_in_the_file(setting, toml) -> None:
    value = {str: "other", int: 4096, float: 30.5, bool: False}[type(setting.default)]
    if setting.most is not None:
        value = type(setting.default)(min(value, setting.most))
    if setting.path == "package_index":
        value = "https://mirror.test/simple"

    def read(settings: Settings):
        found = settings
        for name in setting.path.split("."):
            found = getattr(found, name)
        return found

    assert setting.variable == "SALON_" + setting.path.upper().replace(".", "_")
    assert read(load(None, {setting.variable: str(value)})) == value
    if not setting.secret:
        group, _, name = setting.path.rpartition(".")
        shown = str(value).lower() if isinstance(value, bool | float | int) else f'"{value}"'
        text = f"[{group}]\n{name} = {shown}\n" if group else f"{name} = {shown}\n"
        assert read(load(toml(text), {})) == value


def test_package_index_of_pip_is_honoured_below_ours() -> None:
    pip = {"PIP_INDEX_URL": "https://pip.test/simple"}
    ours = {"SALON_PACKAGE_INDEX": "https://ours.test/simple"}
    assert load(None, pip).package_index == "https://pip.test/simple"
    assert load(None, pip | ours).package_index == "https://ours.test/simple"


def test_keys_come_from_the_environment(toml) -> None:
    file = toml('[backends.http]\napi_key_env = "MY_KEY"\n[backends.claude-cli]\npath = "claude"\n')
    environ = {
        "ANTHROPIC_API_KEY": "a",
        "OPENAI_API_KEY": "o",
        "SALON_BACKENDS_OPENAI_API_KEY": "stronger",
        "MY_KEY": "m",
        "SALON_BACKENDS_CLAUDE_CLI_PATH": "/opt/claude",
        "SALON_BACKENDS_MY_OWN_API_KEY": "stranger",
        "SALON_BACKENDS_OPENROUTER_EVIDENCE_TOKENS": "900",
        "SALON_BACKENDS_HTTP_URL": "http://127.0.0.1:8080/v1",
    }
    backends = load(file, environ).backends
    assert backends["anthropic"] == {"api_key": "a"}
    assert backends["openai"] == {"api_key": "stronger"}
    assert backends["http"]["api_key"] == "m"
    assert backends["claude-cli"] == {"path": "/opt/claude"}
    assert backends["my-own"] == {"api_key": "stranger"}
    assert backends["openrouter"] == {"evidence_tokens": "900"}
    assert backends["http"]["url"] == "http://127.0.0.1:8080/v1"


def test_secrets_do_not_show_in_the_repr() -> None:
    environ = {"SALON_SERVER_SECRET": "hush-1", "OPENAI_API_KEY": "hush-2"}
    assert "hush" not in repr(load(None, environ))


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('[server]\nport = 1\nsecret = "x"\n', "server.secret", 3),
        ('[backends.openai]\n\napi_key = "sk-1"\n', "backends.openai.api_key", 3),
        ('backends.http.token = "x"\n', "backends.http.token", 1),
        ('[backends]\nhttp = {url = "http://x", password = "p"}\n', "backends.http.password", 2),
    ],
)
def test_a_secret_in_the_file_is_refused(toml, text: str, key: str, line: int) -> None:
    with pytest.raises(ConfigError, match="secret") as caught:
        load(toml(text), {})
    assert (caught.value.key, caught.value.line) == (key, line)
    assert "SALON_" in caught.value.cure
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "line", "words"),
    [
        ("[server]\n# the port\nprot = 1\n", "server.prot", 3, "server.port"),
        ("fetsh = true\n", "fetsh", 1, "fetch"),
        ('[modells]\nchat = "auto"\n', "modells.chat", 2, "models.chat"),
        ('[server]\nport = "5050"\n', "server.port", 2, "a whole number"),
        ("[server]\nport = 70000\n", "server.port", 2, "65535"),
        ("[server]\nport = true\n", "server.port", 2, "a whole number"),
        ("[limits]\nactive_answers = 0\n", "limits.active_answers", 2, "at least 1"),
        ('[models]\nchat = "Anthropic claude"\n', "models.chat", 2, "kind"),
        ('package_index = "pypi"\n', "package_index", 1, "https://"),
        ('models = "auto"\n', "models", 1, "[models]"),
        ('[backends]\nhttp = "x"\n', "backends.http", 2, "[backends.http]"),
        ('[backends.http]\nurl = ["x"]\n', "backends.http.url", 2, "a text or a number"),
        ('embedder = "minilm"\n[server\n', "", 2, "not TOML"),
    ],
)
def test_errors_name_file_line_and_key(toml, text: str, key: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(toml(text), {})
    assert (caught.value.key, caught.value.line) == (key, line)
    assert words in str(caught.value)
    assert "salon.toml" in caught.value.file


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SALON_SERVER_PROT", "1", "SALON_SERVER_PORT"),
        ("SALON_MODELS_DIR", "/x", "SALON_MODELS"),
        ("SALON_EMBEDER", "minilm", "SALON_EMBEDDER"),
        ("SALON_SERVER_PORT", "many", "a whole number"),
        ("SALON_LIMITS_ANSWER_SECONDS", "nan", "a number"),
        ("SALON_LIMITS_ANSWER_SECONDS", "inf", "a number"),
        ("SALON_FETCH", "perhaps", "true or false"),
        ("SALON_BACKENDS_KEY", "x", "SALON_BACKENDS_<KIND>_<OPTION>"),
    ],
)
def test_bad_variables_are_errors(variable: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(None, {variable: value})
    assert variable in str(caught.value)
    assert words in str(caught.value)


def test_variables_of_others_are_left_alone() -> None:
    assert load(None, {"SALON_TEST_DATA": "/data", "HOME": "/root"}).embedder == "minilm"


def test_an_empty_variable_is_not_set(toml) -> None:
    assert load(toml("[server]\nport = 7\n"), {"SALON_SERVER_PORT": ""}).server.port == 7


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "salon.toml"
    file.write_bytes(b'embedder = "caf\xe9"\n')
    with pytest.raises(ConfigError, match="UTF-8"):
        load(file, {})


@pytest.mark.parametrize(
    ("text", "example"),
    [
        ('embedder = ""', "minilm"),
        ('store = "Qdrant Edge"', "qdrant-edge"),
        ('[models]\nchat = ":x"', "none"),
        ('[models]\nsmall = "anthropic:"', "anthropic:"),
    ],
)
def test_what_names_a_backend_is_refused_with_an_example_of_its_own(
    toml, text: str, example: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(toml(text), {})
    assert example in caught.value.expected


def test_a_file_in_the_place_of_a_house_is_refused_as_one(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no house")
    with pytest.raises(ConfigError, match=r"notes\.txt is no folder") as caught:
        load(tmp_path / "notes.txt" / "salon.toml", {})
    assert "--house" in caught.value.cure


def test_a_settings_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "salon.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load(tmp_path / "salon.toml", {})
    assert caught.value.cure


def test_the_house_is_named_or_here_or_the_users(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"SALON_HOUSE": str(tmp_path / "by-variable")}
    assert house_folder(Path("named"), environ) == tmp_path / "named"
    assert house_folder(None, environ) == tmp_path / "by-variable"
    assert house_folder(None, {}) != tmp_path
    (tmp_path / "personas").mkdir()
    assert house_folder(None, {}) == tmp_path
