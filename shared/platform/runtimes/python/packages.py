"""The operator's Python packages: the last folder in which a run looks for modules. And what old packages need."""
import os
import sys
from importlib.machinery import PathFinder

MENDED = 'syncano.models.archetypes'
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
    """Finds one module of the package `syncano`, which Python 3.8 and later do not accept as it is.

    Its metaclass does not pass on the cell in which `super()` finds the class.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != MENDED:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_mend(module):
            execute(module)
            fill_cells(module.ModelMetaclass)

        spec.loader.exec_module = execute_and_mend
        return spec


def fill_cells(metaclass):
    """Lets a metaclass fill the cell of each class that it makes."""
    make = metaclass.__new__

    def make_and_fill(cls, name, bases, attributes):
        cell = attributes.pop('__classcell__', None)
        made = make(cls, name, bases, attributes)
        if cell is not None:
            cell.cell_contents = made
        return made

    metaclass.__new__ = make_and_fill


sys.meta_path.insert(0, Mender)
