"""The command line as a process: answers, exit codes, and errors in one block."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from salon.surfaces.exit_codes import MEANINGS
from tests.surfaces.running import SALON, environment, salon

QUESTION = "How long does bread made with salt water keep?"


def test_help_lists_the_commands_and_every_exit_code(tmp_path: Path) -> None:
    done = salon("--help", home=tmp_path)
    assert done.returncode == 0
    for command in ("new", "index", "ask", "chat", "show", "models", "doctor", "eval", "serve"):
        assert re.search(rf"^  {command} ", done.stdout, re.M)
    for code in MEANINGS:
        assert re.search(rf"^ *{code}  \S", done.stdout, re.M)


def test_help_starts_without_anything_heavy() -> None:
    heavy = "{'numpy', 'asyncio', 'httpx', 'fastapi', 'pydantic', 'structlog', 'onnxruntime'}"
    look = f"import salon.surfaces.cli.app, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask"], 2),
        (["nothing"], 2),
        (["ask", "maren", "x", "--model", "a:b", "--no-model"], 2),
        (["ask", "maren", "x"], 3),
        (["index", "maren"], 3),
        (["new", "x", "--from", "nowhere"], 4),
        (["models", "get", "no-such-model"], 3),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_codes(tmp_path: Path, arguments: list[str], code: int) -> None:
    done = salon("--house", tmp_path, *arguments, home=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_ctrl_c_while_the_program_loads_ends_it_quietly(tmp_path: Path) -> None:
    script = """
import sys
class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from salon.surfaces.cli import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def output_to(stdout: int | None, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `salon` with this descriptor as its output; None closes it."""
    return subprocess.run(
        [SALON, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        env=environment(home),
        preexec_fn=None if stdout is not None else lambda: os.close(1),
        check=False,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["models"]])
def test_a_reader_who_left_is_no_failure(tmp_path: Path, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = output_to(writing, tmp_path, *arguments)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_that_was_closed_is_no_failure(tmp_path: Path) -> None:
    done = output_to(None, tmp_path, "--version")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["models"]])
def test_an_output_without_room_is_called_so(tmp_path: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = output_to(full.fileno(), tmp_path, *arguments)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "To fix it: " in done.stderr
    assert "should not" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_in_the_place_of_the_house(tmp_path: Path) -> None:
    (tmp_path / "house").write_text("no folder")
    done = salon("ask", "maren", "x", home=tmp_path, SALON_HOUSE="house")
    assert done.returncode == 3
    assert "house is no folder" in done.stderr


def test_debugging_shows_where_it_failed(tmp_path: Path) -> None:
    done = salon("--house", tmp_path, "ask", "maren", "x", home=tmp_path, SALON_DEBUG="1")
    assert done.returncode == 3
    assert "Traceback" in done.stderr


def test_a_damaged_settings_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "salon.toml").write_text('embedder = "minilm"\n[models]\nchta = "x"\n')
    done = salon("ask", "maren", "x", home=tmp_path)
    assert done.returncode == 3
    assert "salon.toml:3" in done.stderr
    assert "chat" in done.stderr


def test_the_nearest_house_upward_is_taken_and_said(tmp_path: Path) -> None:
    (tmp_path / "personas" / "deep").mkdir(parents=True)
    done = salon("--version", home=tmp_path / "personas" / "deep")
    assert done.returncode == 0
    done = salon("ask", "maren", "x", home=tmp_path / "personas" / "deep")
    assert done.stderr.startswith(f"House: {tmp_path}\n")


def test_without_any_house_the_user_s_own_is_taken_and_said(tmp_path: Path) -> None:
    done = salon("ask", "maren", "x", home=tmp_path)
    assert re.match(rf"House: {tmp_path}/\S+\n", done.stderr)


@pytest.mark.models
def test_an_answer_has_text_notes_and_a_score(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    done = salon(
        "--house", built, "ask", "maren", QUESTION, "--no-model", home=tmp_path, models=models_dir
    )
    assert done.returncode == 0, done.stderr
    assert "nine days" in done.stdout
    assert "log.txt" in done.stdout
    assert re.search(r"Rests on \d+ passages? of \d+ sources?\. Score [01]\.\d\d, ", done.stdout)


@pytest.mark.models
def test_the_house_may_be_named_after_the_command(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    done = salon(
        "ask", "maren", QUESTION, "--no-model", "--house", built, home=tmp_path, models=models_dir
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.models
def test_json_has_the_shape_of_the_api(built: Path, models_dir: Path, tmp_path: Path) -> None:
    done = salon(
        "--house", built, "ask", "maren", QUESTION, "--no-model", "--json",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["sources"] == ["log.txt"]
    assert answer["model"] == "own-words"
    assert {"rag_grounded", "rag_confidence", "correlation_id", "elapsed_ms"} <= set(answer)


@pytest.mark.models
def test_own_words_are_asked_for_by_the_name_that_answers_give_them(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    run = salon(
        "--house", built, "ask", "maren", QUESTION, "--model", "own-words", "--json",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert json.loads(run.stdout)["model"] == "own-words"


@pytest.mark.models
def test_without_a_model_it_says_how_to_get_one(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    done = salon(
        "--house", built, "ask", "maren", QUESTION,
        home=tmp_path, models=models_dir, SALON_MODELS_CHAT="none",
    )  # fmt: skip
    assert "salon models" in done.stderr
    assert done.stderr.count("\n") <= 2


@pytest.mark.models
@pytest.mark.parametrize(
    "question", ["", " \n ", "a" * 200_000, "\0\0"], ids=["empty", "blank", "long", "nul"]
)
def test_a_question_that_cannot_be_used(
    built: Path, models_dir: Path, tmp_path: Path, question: str
) -> None:
    done = salon(
        "--house", built, "ask", "maren", "-", "--no-model",
        home=tmp_path, models=models_dir, stdin=question,
    )  # fmt: skip
    assert done.returncode == 4
    assert done.stdout == ""
    assert len(done.stderr) < 2_000


@pytest.mark.models
def test_an_unknown_persona_gets_a_suggestion(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    done = salon("--house", built, "ask", "marem", "x", home=tmp_path, models=models_dir)
    assert done.returncode == 3
    assert "did you mean 'maren'?" in done.stderr


@pytest.mark.models
def test_a_persona_with_a_chinese_name_answers(
    built: Path, models_dir: Path, tmp_path: Path
) -> None:
    done = salon(
        "--house", built, "ask", "陶工", "裂了的碗为什么不卖？", "--no-model",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "notes.txt" in done.stdout


@pytest.mark.models
def test_an_index_that_is_missing(house: Path, models_dir: Path, tmp_path: Path) -> None:
    shutil.rmtree(house / "index")
    done = salon("--house", house, "ask", "maren", QUESTION, home=tmp_path, models=models_dir)
    assert done.returncode == 5
    assert "salon --house house index maren" in done.stderr


@pytest.mark.models
def test_a_model_that_cannot_answer(built: Path, models_dir: Path, tmp_path: Path) -> None:
    done = salon(
        "--house", built, "ask", "maren", QUESTION, "--model", "openai:gpt-4.1-mini",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert done.returncode == 6
    assert "OPENAI_API_KEY" in done.stderr
    assert done.stdout == ""


@pytest.mark.models
def test_show_opens_a_citation_in_its_source(built: Path, models_dir: Path, tmp_path: Path) -> None:
    asked = salon(
        "--house", built, "ask", "maren", QUESTION, "--no-model", "--json",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    citation = json.loads(asked.stdout)["citations"][0]
    reference = f"{citation['passage']}:{citation['span']['start']}-{citation['span']['end']}"
    done = salon("--house", built, "show", "maren", reference, home=tmp_path, models=models_dir)
    assert done.returncode == 0, done.stderr
    assert citation["quote"] in done.stdout
    assert "log.txt" in done.stdout
    unknown = salon("--house", built, "show", "maren", "ffff", home=tmp_path, models=models_dir)
    assert unknown.returncode == 3


@pytest.mark.models
def test_a_conversation_by_pipe(built: Path, models_dir: Path, tmp_path: Path) -> None:
    lines = "Which cello did you save in the November storm?\nWho listened to it?\n/quit\nnever\n"
    done = salon(
        "--house", built, "chat", "maren", "--no-model",
        home=tmp_path, models=models_dir, stdin=lines,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Rests on") == 2


@pytest.mark.models
def test_new_says_each_guess_and_index_builds_again(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("I kept bees for thirty years. " * 20)
    (tmp_path / "files" / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    made = salon(
        "--house", "h", "new", "Ada Bee", "--from", "files", "--no-index",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    for word in ("name", "Ada Bee", "language", "cutter", "index ada-bee"):
        assert word in made.stdout
    assert "picture.txt" in made.stderr
    assert not (tmp_path / "h" / "index").exists()
    indexed = salon("--house", "h", "index", "ada-bee", home=tmp_path, models=models_dir)
    assert indexed.returncode == 0, indexed.stderr
    again = salon(
        "--house", "h", "new", "Ada Bee", "--from", "files", home=tmp_path, models=models_dir
    )
    assert again.returncode == 3


@pytest.mark.models
def test_doctor_is_content_and_then_names_the_cure(
    house: Path, models_dir: Path, tmp_path: Path
) -> None:
    well = salon("--house", house, "doctor", home=tmp_path, models=models_dir)
    assert well.returncode == 0, well.stdout + well.stderr
    shutil.rmtree(house / "index" / "maren")
    ill = salon("--house", house, "doctor", home=tmp_path, models=models_dir)
    assert ill.returncode == 5
    assert "salon index maren" in ill.stdout + ill.stderr


@pytest.mark.models
def test_eval_compares_with_a_bar(built: Path, models_dir: Path, tmp_path: Path) -> None:
    rows = [
        {"question": QUESTION, "kind": "specific", "evidence": "a bread that keeps for nine days"},
        {"question": "What is the capital of Peru?", "kind": "outside"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ("--house", built, "eval", "maren", "--questions", file, "--no-model")
    good = salon(*asked, "--min", "recall@6=1", home=tmp_path, models=models_dir)
    assert good.returncode == 0, good.stderr
    assert re.search(r"recall@1 +[01]\.\d\d\d", good.stdout)
    as_json = salon(*asked, "--json", home=tmp_path, models=models_dir)
    assert json.loads(as_json.stdout)["figures"]["recall@6"] == 1.0
    bad = salon(*asked, "--min", "specific_declined=1", home=tmp_path, models=models_dir)
    assert bad.returncode == 7
    both = salon(*asked, "--compare", "passages=1,6", home=tmp_path, models=models_dir)
    assert both.returncode == 0, both.stderr
    assert re.search(r"passages=1 +passages=6", both.stdout)
    wrong = salon(*asked, "--min", "recall=high", home=tmp_path, models=models_dir)
    assert wrong.returncode == 4
