"""The operator's Python packages: the last folder in which a run looks for modules. And what old packages need."""
import os
import sys
from importlib.machinery import PathFinder

OPTION = 'packages='  # a property of a runner, followed by the path of the folder


def add_folder(properties):
    """Adds the folder of a runner's properties to the path of its runs. Without one, changes nothing."""
    for each in properties:
        if each.startswith(OPTION):
            sys.path.append(each[len(OPTION):])


def name_server(meta):
    """Sets the variable by which the package `syncano` finds its server: this one, with the slash that it expects."""
    url = meta.get('api_url') if isinstance(meta, dict) else None
    if isinstance(url, str):
        os.environ['SYNCANO_APIROOT'] = f'{url}/'


class Mender:
    """Finds modules that do not work here as they are, and mends them when they are imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in MENDS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_mend(module):
            execute(module)
            MENDS[name](module)

        spec.loader.exec_module = execute_and_mend
        return spec


def fill_cells(archetypes):
    """Lets the metaclass of `syncano` fill the cell in which `super()` finds a class, as Python 3.8 and later demand."""
    make = archetypes.ModelMetaclass.__new__

    def make_and_fill(cls, name, bases, attributes):
        cell = attributes.pop('__classcell__', None)
        made = make(cls, name, bases, attributes)
        if cell is not None:
            cell.cell_contents = made
        return made

    archetypes.ModelMetaclass.__new__ = make_and_fill


def name_missing_network(fetch):
    """Lets requests of `urllib3` in Pyodide fail with the reason."""

    def fail(request, *_args, **_options):
        raise fetch._RequestError('there is no network in Pyodide: scripts need python3 for it', request=request)

    fetch.send_request = fetch.send_streaming_request = fail


MENDS = {
    'syncano.models.archetypes': fill_cells,
    'urllib3.contrib.emscripten.fetch': name_missing_network,
}
sys.meta_path.insert(0, Mender)
