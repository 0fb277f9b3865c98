"""The journey of an app that uses the original Python library. One process for each part of it:

journey.py begin '{"host", "key", "instance"}'       creates everything, and prints what it sees
journey.py go-on '{"host", "key", "instance"}'       on a server with a copy: prints what it sees, then works on
"""
import importlib.machinery
import io
import json
import sys


class Loader(importlib.machinery.SourceFileLoader):
    """Loads the library's metaclass on Python 3.8 and later, which demand that it passes this attribute on."""

    def get_code(self, fullname):
        passed = "{n: attrs.pop(n) for n in ('__classcell__',) if n in attrs}"
        source = self.get_source(fullname).replace("{'__module__': module}", "{'__module__': module, **%s}" % passed)
        return compile(source, self.path, 'exec')


class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = super().find_spec(name, path, target) if name == 'syncano.models.archetypes' else None
        if spec:
            spec.loader = Loader(name, spec.origin)
        return spec


sys.meta_path.insert(0, Finder)

import requests  # noqa: E402
import syncano  # noqa: E402
from syncano.exceptions import SyncanoRequestError  # noqa: E402


def look(app):
    """Returns what the app sees, without what belongs to a server: keys and addresses."""
    books = []
    for book in app.Object.please.list(class_name='story').order_by('title'):
        seen = {name: getattr(book, name) for name in ('id', 'title', 'pages', 'revision', 'owner', 'group')}
        seen['created_at'] = book.created_at.isoformat()
        seen['cover'] = book.cover and requests.get(book.cover, timeout=10).text
        seen['prequel'] = book.prequel
        books.append(seen)
    users = [[user.id, user.username] for user in app.User.please.list()]
    groups = [[group.id, group.label, sorted(user.id for user in group.list_users() or [])]
              for group in app.Group.please.list()]
    few = [book.title for book in app.Object.please.list(class_name='story').filter(pages__gt=100)]
    view = app.DataEndpoint.please.get(name='long')
    return {'books': books, 'users': users, 'groups': groups, 'few': few, 'view': [item['title'] for item in view.get()]}


def begin(app):
    app.Class.please.create(name='story', other_permissions='read', schema=[
        {'name': 'title', 'type': 'string', 'filter_index': True, 'order_index': True},
        {'name': 'pages', 'type': 'integer', 'filter_index': True},
        {'name': 'cover', 'type': 'file'},
        {'name': 'prequel', 'type': 'reference', 'target': 'self'},
    ])
    ann = app.User.please.create(username='ann', password='a secret', profile={})
    staff = app.Group.please.create(label='staff')
    staff.add_user(user_id=ann.id)
    create = lambda **values: app.Object.please.create(class_name='story', **values)
    nana = create(title='Nana', pages=400, owner=ann.id, owner_permissions='full')
    create(title='Pot-Bouille', pages=380, prequel=nana.id, group=staff.id, group_permissions='read')
    picture = io.BytesIO(b'a picture')
    picture.name = 'picture.png'
    create(title='Germinal', pages=90, cover=picture)
    nana.pages = 410
    nana.save()
    app.DataEndpoint.please.create(name='long', class_name='story', query={'pages': {'_gt': 100}}, order_by='title')


def go_on(app, place):
    """Changes what the app created on the other server, and returns the outcomes."""
    books = {book.title: book for book in app.Object.please.list(class_name='story')}
    highest = max(book.id for book in books.values())
    nana = books['Nana']
    nana.pages = 420
    nana.save()
    new = app.Object.please.create(class_name='story', title='La Terre', prequel=nana.id)
    books['Germinal'].delete()
    key = app.ApiKey.please.create(description='the app').api_key
    user = syncano.connection.Connection(host=place['host'], username='ann', password='a secret', api_key=key,
                                         instance_name=place['instance'])
    user.authenticate()
    path = '/v1.1/instances/{}/classes/story/objects/{}/'
    read = lambda book: user.request('GET', path.format(place['instance'], book.id))
    try:
        forbidden = read(new)['title']
    except SyncanoRequestError as error:
        forbidden = error.status_code
    return {
        'revision': nana.revision,
        'isNew': new.id > highest,
        'own': read(nana)['pages'],
        'group': read(books['Pot-Bouille'])['title'],
        'forbidden': forbidden,
    }


def main(part, place):
    app = syncano.connect(host=place['host'], api_key=place['key'], instance_name=place['instance'])
    if part == 'begin':
        begin(app)
        print(json.dumps({'seen': look(app)}))
    else:
        print(json.dumps({'seen': look(app), 'done': go_on(app, place)}))


main(sys.argv[1], json.loads(sys.argv[2]))
