# The only list of the public names, read by type checkers and by `__init__.py`: one name on a line.

from ..validation.errors import DataError as DataError
from .columns.curves import column_curve as column_curve
from .columns.table_encoder import TableEncoder as TableEncoder
from .export.onnx import register_onnx as register_onnx
from .export.onnx import to_onnx as to_onnx
from .export.sql import to_sql as to_sql
from .reading.reader import Chunk as Chunk
from .reading.reader import Chunks as Chunks
from .reading.reader import Table as Table
from .reading.reader import read as read
from .reading.reader import stream as stream
from .storage.checkpoints import load_checkpoint as load_checkpoint
from .storage.checkpoints import save_checkpoint as save_checkpoint
from .storage.models import load_model as load_model
from .storage.models import save_model as save_model

__all__: list[str]
