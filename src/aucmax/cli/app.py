"""The program: its commands, and how every error becomes one line and an exit code.

Heavy modules are imported by the commands that need them, so that ``--help`` and ``predict`` are quick.
"""

import os
import sys
import warnings
from typing import Any, NoReturn

try:
    import typer
except ImportError:
    sys.exit('aucmax: the command line needs more packages; run: pip install "aucmax[cli]"')

from .commands import compare, demo, evaluate, inspect, predict, reproduce, train
from .messages import sentence, warning_text
from .stop import Stopped

EPILOG = "\b\nExample:\n  aucmax train patients.csv --label ill -o model.auc"

app = typer.Typer(
    help="Linear models that maximise AUC: train, predict, evaluate, compare.",
    epilog=EPILOG,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from aucmax import __version__

        print(f"aucmax {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


for module in (train, predict, evaluate, compare, inspect, reproduce, demo):
    app.command(
        module.__name__.rpartition(".")[2],
        cls=getattr(module, "Command", None),
        epilog=module.EPILOG,
        short_help=str(module.run.__doc__).partition("\n")[0],
    )(module.run)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave with 0, with 1 for bad data, with 2 for bad usage, or as signals ask."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in given
    with warnings.catch_warnings():
        if not debug:
            warnings.showwarning = show_warning  # type: ignore[assignment]
        code = _run(given, debug)
    sys.exit(code)


def _run(arguments: list[str], debug: bool) -> int:
    try:
        code = app(arguments, prog_name="aucmax", standalone_mode=False) or 0
        sys.stdout.flush()
        return _complain("stopped", code) if code == 130 else code  # typer makes this of Ctrl-C, in silence
    except BrokenPipeError:  # who read the output has gone: nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Stopped as stopped:
        return _complain(stopped, 128 + stopped.number)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("stopped", 130)
    except Exception as error:
        if _is_interrupt(error):
            return _complain("stopped", 130)
        if debug:
            raise
        return _complain(sentence(error), 2 if _is_usage(error) else 1)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: compiled code that it hits makes a SystemError of it."""
    while isinstance(error, SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)


def _is_usage(error: Exception) -> bool:
    return getattr(error, "exit_code", None) == 2


def _complain(message: Any, code: int) -> int:
    print("aucmax:", " ".join(str(message).split()), file=sys.stderr)
    return code


def show_warning(message: Any, *_: Any) -> None:
    print("aucmax: warning:", " ".join(warning_text(message).split()), file=sys.stderr)
