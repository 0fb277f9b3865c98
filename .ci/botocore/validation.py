"""Compares the input of an operation with its shape in botocore's service models.

botocore's own validation looks at types, required members and lower bounds; upper bounds, patterns and enumerations are
in its models, and compared here too.
"""

import base64
import re

TYPES = {
    'structure': dict,
    'map': dict,
    'list': list,
    'string': str,
    'integer': int,
    'long': int,
    'float': (int, float),
    'double': (int, float),
    'boolean': bool,
    'timestamp': (int, float, str),
}


class Validation:
    """Validates inputs, and counts what cannot be compared."""

    def __init__(self):
        self.patterns = {}
        # Patterns in the dialect of Java that Python cannot read.
        self.unread_patterns = set()

    def problems(self, shape, value, has_wire=True):
        """Returns what is wrong with an input, as texts, each with the path of its member.

        The input of a client that has not sent it has neither bytes in base64 nor the tokens that clients add.
        """
        self.has_wire = has_wire
        return sorted(set(self._any(shape, value, '')))

    def _any(self, shape, value, path):
        if shape is None:
            for name in value:
                yield f'{path}.{name}: unknown'
            return
        kind = shape.type_name
        if not self.has_wire and kind == 'string' and shape.serialization.get('location') == 'querystring':
            value = str(value)  # the models of the SDK have a number for some
        if kind == 'blob':
            yield from self._blob(shape, value, path)
        elif kind in TYPES and (not isinstance(value, TYPES[kind]) or (kind != 'boolean' and isinstance(value, bool))):
            yield f'{path}: {type(value).__name__} is not {kind}'
        elif kind == 'structure':
            yield from self._structure(shape, value, path)
        elif kind == 'list':
            yield from self._bounds(shape, len(value), path)
            for one in value:
                yield from self._any(shape.member, one, f'{path}[]')
        elif kind == 'map':
            yield from self._bounds(shape, len(value), path)
            for key, one in value.items():
                yield from self._any(shape.key, key, f'{path}.(key)')
                yield from self._any(shape.value, one, f'{path}.*')
        elif kind == 'string':
            yield from self._string(shape, value, path)
        elif kind in ('integer', 'long', 'float', 'double'):
            yield from self._bounds(shape, value, path)

    def _structure(self, shape, value, path):
        if shape.is_document_type:
            return
        for name in shape.required_members:
            is_added = not self.has_wire and shape.members[name].metadata.get('idempotencyToken')
            if name not in value and not is_added:
                yield f'{path}.{name}: missing'
        if shape.is_tagged_union and len(value) != 1:
            yield f'{path}: {len(value)} members of a union'
        for name, one in value.items():
            if name in shape.members:
                yield from self._any(shape.members[name], one, f'{path}.{name}')
            else:
                yield f'{path}.{name}: unknown'

    def _string(self, shape, value, path):
        yield from self._bounds(shape, len(value), path)
        if shape.enum and value not in shape.enum:
            yield f'{path}: {value} is not in the enumeration'
        pattern = shape.metadata.get('pattern')
        if pattern is not None and not self._fits(pattern, value):
            yield f'{path}: {value} does not match the pattern'

    def _fits(self, pattern, value):
        if pattern not in self.patterns:
            try:
                self.patterns[pattern] = re.compile(pattern)
            except re.error:
                self.patterns[pattern] = None
                self.unread_patterns.add(pattern)
        compiled = self.patterns[pattern]
        return compiled is None or compiled.fullmatch(value) is not None

    def _blob(self, shape, value, path):
        if not self.has_wire:
            return
        try:
            size = len(base64.b64decode(value, validate=True))
        except (TypeError, ValueError):
            yield f'{path}: not in base64'
            return
        yield from self._bounds(shape, size, path)

    @staticmethod
    def _bounds(shape, size, path):
        low, high = shape.metadata.get('min'), shape.metadata.get('max')
        if low is not None and size < low:
            yield f'{path}: {size} is below {low}'
        if high is not None and size > high:
            yield f'{path}: {size} is above {high}'
