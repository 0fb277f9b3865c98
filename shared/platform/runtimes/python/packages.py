"""The operator's Python packages: the last folder in which a run looks for modules."""
import os
import sys

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
