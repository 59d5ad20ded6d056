"""The command-line program: register the commands, run one, print any error as one line.

Heavy modules are imported by the commands that need them, so that ``--help`` and ``predict`` are quick.
"""

import json
import os
import sys
import warnings
from typing import Any, NoReturn

try:
    import typer
except ImportError:
    sys.exit('aucmax: the command line needs more packages; run: pip install "aucmax[cli]"')

from .commands import compare, demo, evaluate, export, inspect, predict, report, reproduce, train, warm_up
from .messages import error_message, error_object, print_warning
from .options import with_shared_options
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


for module in (train, report, predict, evaluate, compare, inspect, export, reproduce, demo, warm_up):
    app.command(
        module.__name__.rpartition(".")[2].replace("_", "-"),
        cls=getattr(module, "Command", None),
        epilog=module.EPILOG,
        short_help=str(module.run.__doc__).partition("\n")[0],
    )(with_shared_options(module.run))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with 0, 1 for bad data, 2 for wrong usage, or 128 + the number of a signal."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in given
    with warnings.catch_warnings():
        if not debug:
            warnings.showwarning = print_warning  # type: ignore[assignment]
        code, error = _run(given, debug)
    if error is not None and "--json" in given:
        print(json.dumps(error_object(error, code), ensure_ascii=False), file=sys.stderr)
    elif error is not None:
        print("aucmax:", " ".join(error_message(error).split()), file=sys.stderr)
    sys.exit(code)


def _run(arguments: list[str], debug: bool) -> tuple[int, Any]:
    """The exit code, and the error to print or None."""
    try:
        code = app(arguments, prog_name="aucmax", standalone_mode=False) or 0
        sys.stdout.flush()
        return code, "stopped" if code == 130 else None  # how typer reports Ctrl-C
    except BrokenPipeError:  # as in aucmax predict ... | head: the reader has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1, None
    except Stopped as stopped:
        return 128 + stopped.number, stopped
    except (KeyboardInterrupt, typer.Abort):
        return 130, "stopped"
    except Exception as error:
        if _is_interrupt(error):
            return 130, "stopped"
        if debug:
            raise
        return 2 if getattr(error, "exit_code", None) == 2 else 1, error


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error: compiled code turns it into a SystemError."""
    while isinstance(error, SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)
