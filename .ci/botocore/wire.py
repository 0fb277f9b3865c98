"""Reads requests of AWS clients from the wire, by the service models of botocore.

Everything in a request has to be a member of its operation: names that are not are kept, for the validation to report.
"""

import json
import re
import xml.etree.ElementTree as xml
from urllib.parse import parse_qsl, unquote, urlsplit

from botocore.loaders import Loader
from botocore.model import ServiceModel

# Headers of the transport and of signatures; they are of no operation.
TRANSPORT = re.compile(
    r'accept|accept-encoding|amz-sdk-.*|authorization|connection|content-length|content-type|expect|host'
    r'|transfer-encoding|user-agent|x-amz-(content-sha256|date|security-token|target|user-agent)'
    r'|x-amzn-query-mode'
)
# The same in the query of a signed address.
SIGNATURE = re.compile(
    r'x-id|x-amz-(algorithm|content-sha256|credential|date|expires|security-token|signature|signedheaders|user-agent)', re.I
)
NAMES = {'ses': 'sesv2'}  # services whose signatures have another name


class Unreadable(Exception):
    """A request that is of no operation."""


class Models:
    """The service models that are installed, by name."""

    def __init__(self):
        self.loader = Loader()
        self.models = {}

    def of(self, name):
        name = NAMES.get(name, name)
        if name not in self.models:
            if name not in self.loader.list_available_services('service-2'):
                raise Unreadable(f'unknown service {name}')
            self.models[name] = ServiceModel(self.loader.load_service_model(name, 'service-2'), name)
        return self.models[name]

    def of_client(self, client):
        """Returns the model of a client class of the JavaScript SDK, as SecretsManagerClient."""
        word = client.removesuffix('Client').lower()
        name = 'logs' if word == 'cloudwatchlogs' else word
        return self.of(name)


def read_request(models, record):
    """Returns the model of the operation of a recorded request, and its input by the names of the model."""
    model = models.of(record['service'])
    headers, body = record['headers'], record['body']
    target = headers.get('x-amz-target')
    if target is not None:
        prefix, _, name = target.partition('.')
        if prefix != model.metadata['targetPrefix']:
            raise Unreadable(f'target {target}')
        operation = operation_named(model, name)
        return operation, from_json(operation.input_shape, json.loads(body or '{}'))
    if 'query' in model.metadata.get('protocols', [model.metadata['protocol']]):
        return read_query(model, body)
    return read_rest(model, record)


def operation_named(model, name):
    if name not in model.operation_names:
        raise Unreadable(f'unknown operation {name}')
    return model.operation_model(name)


def foreign(name):
    """Names a member on the wire that is not in the model, so that it is no member's name."""
    return f'{name} (on the wire)'


def wire_names(shape, has):
    """Returns the members of a structure by their name on the wire."""
    return {
        member.serialization.get('name', name): (name, member)
        for name, member in shape.members.items()
        if has(member)
    }


def from_json(shape, value):
    """Returns a JSON value with the names of the model."""
    if shape is None:
        return {foreign(name): one for name, one in value.items()}
    if shape.type_name == 'structure' and isinstance(value, dict) and not shape.is_document_type:
        names = wire_names(shape, lambda member: 'location' not in member.serialization)
        return dict(
            (names[key][0], from_json(names[key][1], one)) if key in names else (foreign(key), one)
            for key, one in value.items()
        )
    if shape.type_name == 'list' and isinstance(value, list):
        return [from_json(shape.member, one) for one in value]
    if shape.type_name == 'map' and isinstance(value, dict):
        return {key: from_json(shape.value, one) for key, one in value.items()}
    return value


def from_text(shape, text):
    """Returns a value that is a text on the wire; one that is not of its type stays a text, which is reported."""
    try:
        match shape.type_name:
            case 'integer' | 'long':
                return int(text)
            case 'float' | 'double':
                return float(text)
            case 'boolean' if text in ('true', 'false'):
                return text == 'true'
    except ValueError:
        pass
    return text


def read_query(model, body):
    """Reads a form, whose names are paths."""
    fields = dict(parse_qsl(body, keep_blank_values=True))
    operation = operation_named(model, fields.pop('Action', ''))
    if fields.pop('Version', '') != model.api_version:
        raise Unreadable('another version of the service')
    tree = {}
    for path, text in fields.items():
        *parts, last = path.split('.')
        node = tree
        for part in parts:
            node = node.setdefault(part, {})
        node[last] = text
    params = from_tree(operation.input_shape, tree)
    for name in operation.input_shape.required_members if operation.input_shape else []:
        kind = operation.input_shape.members[name].type_name
        if kind in ('list', 'map'):
            params.setdefault(name, [] if kind == 'list' else {})  # a form cannot have an empty one
    return operation, params


def from_tree(shape, node):
    if shape is None or shape.type_name not in ('structure', 'list', 'map'):
        return from_text(shape, node) if isinstance(node, str) and shape is not None else node
    if node == '':
        return [] if shape.type_name == 'list' else {}
    if shape.type_name == 'structure':
        names = wire_names(shape, lambda member: True)
        return dict(
            (names[key][0], from_tree(names[key][1], one)) if key in names else (foreign(key), one)
            for key, one in node.items()
        )
    element = shape.member.serialization.get('name', 'member') if shape.type_name == 'list' else 'entry'
    items = node if shape.serialization.get('flattened') else node.get(element, {foreign(element): node})
    if shape.type_name == 'list':
        return [from_tree(shape.member, items[index]) for index in sorted(items, key=index_of)]
    key, value = (part.serialization.get('name', word) for part, word in ((shape.key, 'key'), (shape.value, 'value')))
    return {item.get(key, foreign(key)): from_tree(shape.value, item.get(value)) for item in items.values()}


def index_of(text):
    return int(text) if text.isdigit() else -1


def read_rest(model, record):
    """Reads a request whose operation is named by its method, path and query."""
    url = urlsplit(record['url'])
    query = parse_qsl(url.query, keep_blank_values=True)
    found = [
        (operation, uri)
        for operation in map(model.operation_model, model.operation_names)
        if (uri := match_uri(model, operation, record['method'], url.path, query)) is not None
    ]
    named = dict(query).get('x-id')
    found = [each for each in found if named in (None, each[0].name)] or found
    found = [each for each in found if has_required_headers(each[0], record['headers'])]
    if not found:
        raise Unreadable(f"no operation has {record['method']} {url.path}")
    operation, uri = max(found, key=lambda each: rank(each[0]))
    shape = operation.input_shape
    params = dict(uri)
    if shape is None:
        return operation, {foreign(name): text for name, text in query}
    read_names(operation, params, query, record['headers'])
    read_body(model, shape, params, record)
    return operation, params


def match_uri(model, operation, method, path, query):
    """Returns the members in the path; None when the request is of another operation."""
    uri, _, constants = operation.http['requestUri'].partition('?')
    if operation.http['method'] != method:
        return None
    if any(pair not in query for pair in parse_qsl(constants, keep_blank_values=True)):
        return None
    names = re.findall(r'{(\w+)\+?}', uri)
    if model.service_name == 's3' and 'Bucket' not in names and 'Bucket' in getattr(operation.input_shape, 'members', {}):
        uri, names = '/{Bucket}' + uri.rstrip('/'), ['Bucket', *names]  # here its address is a path, elsewhere a host
    pattern = re.sub(r'\\{\w+(\\\+)?\\}', lambda found: '(.+)' if found[1] else '([^/]+)', re.escape(uri.rstrip('/')))
    matched = re.fullmatch(pattern + '/?', path)
    if matched is None:
        return None
    members = wire_names(operation.input_shape, lambda member: True) if names else {}
    return {members[name][0]: unquote(text) for name, text in zip(names, matched.groups())}


def has_required_headers(operation, headers):
    shape = operation.input_shape
    return shape is None or all(
        shape.members[name].serialization['name'].lower() in headers
        for name in shape.required_members
        if shape.members[name].serialization.get('location') == 'header'
    )


def rank(operation):
    """The more is fixed, the better an operation that fits."""
    path, _, constants = operation.http['requestUri'].partition('?')
    required = operation.input_shape.required_members if operation.input_shape else []
    return constants.count('&') + bool(constants), len(re.sub(r'{[^}]*}', '', path)), len(required)


def read_names(operation, params, query, headers):
    """Reads the query and the headers."""
    shape = operation.input_shape
    constants = parse_qsl(operation.http['requestUri'].partition('?')[2], keep_blank_values=True)
    in_query = wire_names(shape, lambda member: member.serialization.get('location') == 'querystring')
    in_headers = {
        name.lower(): member
        for name, member in wire_names(shape, lambda member: member.serialization.get('location') == 'header').items()
    }
    for key, text in query:
        if (key, text) in constants or SIGNATURE.fullmatch(key):
            continue
        name, member = in_query.get(key) or in_headers.get(key.lower()) or (foreign(key), None)
        if member is not None and member.type_name == 'list':
            params.setdefault(name, []).append(from_text(member.member, text))
        else:
            params[name] = text if member is None else from_text(member, text)
    is_signed = 'authorization' in headers  # otherwise its address is, and the headers are those of a browser
    prefixes = [
        (member.serialization['name'].lower(), name)
        for name, member in shape.members.items()
        if member.serialization.get('location') == 'headers'
    ]
    for key, text in headers.items():
        prefixed = next((each for each in prefixes if key.startswith(each[0])), None)
        if key in in_headers:
            name, member = in_headers[key]
            params[name] = from_text(member, text)
        elif prefixed is not None:
            params.setdefault(prefixed[1], {})[key[len(prefixed[0]):]] = text
        elif is_signed and not TRANSPORT.fullmatch(key) and not is_checksum(operation, key):
            params[foreign(key)] = text


def is_checksum(operation, header):
    """Checks whether a header is about the checksum that the operation has for its body."""
    names = r'content-encoding|x-amz-trailer|x-amz-decoded-content-length|x-amz-checksum-(crc32c?|crc64nvme|sha1|sha256)'
    return bool(operation.http_checksum) and re.fullmatch(names, header) is not None


def read_body(model, shape, params, record):
    body = record['body']
    payload = shape.serialization.get('payload')
    if payload is not None and shape.members[payload].type_name != 'structure':
        if body:
            params[payload] = ''  # a value as a whole, of no structure
        return
    if not body:
        return
    target = shape.members[payload] if payload is not None else shape
    if model.metadata['protocol'] == 'rest-xml':
        root = xml.fromstring(body)
        expected = target.serialization.get('name') or target.name
        read = from_xml(target, root) if plain(root.tag) == expected else {foreign(plain(root.tag)): body}
    else:
        read = from_json(target, json.loads(body))
    if payload is not None:
        params[payload] = read
    else:
        params.update(read)


def plain(tag):
    return tag.partition('}')[2] or tag


def from_xml(shape, node):
    if shape.type_name != 'structure':
        return from_text(shape, node.text or '')
    names = wire_names(shape, lambda member: 'location' not in member.serialization)
    for name, member in shape.members.items():  # the items of a flat list have its own name, or one of theirs
        if member.type_name == 'list' and member.serialization.get('flattened'):
            names[member.serialization.get('name') or member.member.serialization.get('name', name)] = (name, member)
    read = {}
    for child in node:
        name, member = names.get(plain(child.tag), (foreign(plain(child.tag)), None))
        if member is None:
            read[name] = child.text
        elif member.type_name == 'list' and member.serialization.get('flattened'):
            read.setdefault(name, []).append(from_xml(member.member, child))
        elif member.type_name == 'list':
            read[name] = [from_xml(member.member, item) for item in child]
        else:
            read[name] = from_xml(member, child)
    return read
