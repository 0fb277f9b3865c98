import { invalidResponse } from '../../../shared/scripts/rules/script-response.ts';
import { plain, type Rule, showing } from './case.ts';

/** Custom responses, each kind once. */
export const responses: readonly Rule[] = [
  {
    name: 'a response with everything',
    inPyodide: true,
    node: "setResponse(new HttpResponse(418, 'tea', 'text/plain', { 'X-A': 'b', 'X-N': 5 }))",
    python: "set_response(HttpResponse(418, 'tea', 'text/plain', {'X-A': 'b', 'X-N': 5}))",
    response: {
      status: 418,
      content: 'tea',
      content_type: 'text/plain',
      headers: { 'X-A': 'b', 'X-N': '5' },
    },
  },
  {
    name: 'bytes that are no text, as they are',
    inPyodide: true,
    node: "setResponse(new HttpResponse(200, Buffer.from([0x89, 0x50, 0xff, 0]), 'image/png'))",
    python: "set_response(HttpResponse(200, b'\\x89P\\xff\\0', 'image/png'))",
    response: { ...plain, content: 'iVD/AA==', encoding: 'base64', content_type: 'image/png' },
  },
  {
    name: 'two cookies',
    inPyodide: true,
    node: "setResponse(new HttpResponse(200, '', 'a/b', { 'set-Cookie': ['a=1', 'b=2'], 'X-A': 1 }))",
    python: "set_response(HttpResponse(200, '', 'a/b', {'set-Cookie': ['a=1', 'b=2'], 'X-A': 1}))",
    response: {
      ...plain,
      content_type: 'a/b',
      headers: { 'set-Cookie': ['a=1', 'b=2'], 'X-A': '1' },
    },
  },
  {
    name: 'an invalid response keeps the output',
    node: "console.log('o'); console.error('why'); setResponse(new HttpResponse(0, '', 'text'))",
    python: "import sys\nprint('o')\nprint('why', file=sys.stderr)\nset_response(HttpResponse(0))",
    status: 'failure',
    stdout: 'o',
    stderr: `why\n${invalidResponse}`,
  },
  {
    name: 'a response before an error is not sent',
    status: 'failure',
    node: {
      source: "setResponse(new HttpResponse(201)); throw 'no'",
      stderr: showing('no'),
    },
    python: {
      source: "set_response(HttpResponse(201))\nraise ValueError('no')",
      stderr: showing('ValueError: no'),
    },
  },
];

/** Response objects of both languages. */
export const responseObjects: readonly Rule[] = [
  {
    name: 'a response with defaults',
    node: 'setResponse(new HttpResponse())',
    python: 'set_response(HttpResponse())',
    response: plain,
  },
  {
    name: 'its attributes are writable, with two spellings in JavaScript, where new is optional',
    node: "const r = HttpResponse(0, 'a'); setResponse(r); r.status_code = 201; r.contentType = 'text/css'; r.headers['X-A'] = 'b'; console.log(r.statusCode, r.content_type)",
    python:
      "r = HttpResponse(0, 'a')\nset_response(r)\nr.status_code = 201\nr.content_type = 'text/css'\nr.headers['X-A'] = 'b'\nprint(r.status_code, r.content_type)",
    stdout: '201 text/css',
    response: { status: 201, content: 'a', content_type: 'text/css', headers: { 'X-A': 'b' } },
  },
  {
    name: 'it has attributes and named arguments',
    python:
      "r = HttpResponse(content='a', headers={'X': 'y'}, status_code=201)\nprint(r.status_code, r.content, r.content_type, r.headers)\nprint(sorted(vars(HttpResponse()).items()))",
    stdout:
      "201 a application/json {'X': 'y'}\n[('content', ''), ('content_type', 'application/json'), ('headers', {}), ('status_code', 200)]",
  },
  {
    name: 'defaults are not shared between responses',
    node: "new HttpResponse().headers.A = 'b'; setResponse(new HttpResponse())",
    python: "HttpResponse().headers['A'] = 'b'\nset_response(HttpResponse())",
    response: plain,
  },
  {
    name: 'a subclass is a response',
    node: "class Page extends HttpResponse { constructor() { super(200, 'p', 'text/html') } } setResponse(new Page())",
    python:
      "class Page(HttpResponse):\n    def __init__(self): super().__init__(200, 'p', 'text/html')\nset_response(Page())",
    response: { status: 200, content: 'p', content_type: 'text/html', headers: {} },
  },
  {
    name: 'the last call is used',
    node: "setResponse(new HttpResponse(201)); setResponse(new HttpResponse(202, 'b'))",
    python: "set_response(HttpResponse(201))\nset_response(HttpResponse(202, 'b'))",
    response: { ...plain, status: 202, content: 'b' },
  },
  ...[
    ['null', 'None'],
    ["'text'"],
    ["{ status_code: 201, content: 'x' }", "{'status_code': 201}"],
    ['HttpResponse'],
    ['5'],
  ].map(([node, python = node]) => ({
    name: `a last call with ${either(node, python)}, which is not a response, takes it back`,
    node: `setResponse(new HttpResponse(201)); setResponse(${node})`,
    python: `set_response(HttpResponse(201))\nset_response(${python})`,
  })),
  {
    name: 'headers that it may not set are left out, and named',
    inPyodide: true,
    node: "console.error('own'); setResponse(new HttpResponse(200, '', 'a/b', { 'Content-Length': '5', Connection: 'close', Location: '/x', 'X-Accel-Redirect': '/private', Server: 1 }))",
    python:
      "import sys\nprint('own', file=sys.stderr)\nset_response(HttpResponse(200, '', 'a/b', {'Content-Length': '5', 'Connection': 'close', 'Location': '/x', 'X-Accel-Redirect': '/private', 'Server': 1}))",
    stderr:
      'own\nHeaders left out of the response: Content-Length, Connection, X-Accel-Redirect, Server',
    response: { ...plain, content_type: 'a/b', headers: { Location: '/x' } },
  },
  {
    name: 'content that cannot become JSON is a failure',
    status: 'failure',
    node: {
      source: 'setResponse(new HttpResponse(200, { a: 1n }))',
      stderr: showing('TypeError: Do not know how to serialize a BigInt'),
    },
    python: {
      source: 'set_response(HttpResponse(200, {"a": object()}))',
      stderr: showing('TypeError: Object of type object is not JSON serializable'),
    },
  },
  ...["float('nan')", "float('inf')", "[{'a': -float('inf')}]"].map((value) => ({
    name: `${value} in a response is a failure, because it is no JSON`,
    inPyodide: true as const,
    status: 'failure' as const,
    python: {
      source: `set_response(HttpResponse(200, {'x': ${value}}))`,
      stderr: showing('ValueError: NaN and Infinity are not JSON'),
    },
  })),
  {
    name: 'a circular list in a response is a failure with the words of Python',
    status: 'failure',
    python: {
      source: 'a = []\na.append(a)\nset_response(HttpResponse(200, a))',
      stderr: showing('ValueError: Circular reference detected'),
    },
  },
  {
    name: 'a response that cannot be read is a failure',
    status: 'failure',
    node: {
      source: "setResponse(new HttpResponse(200, { toJSON() { throw new Error('mine') } }))",
      stderr: showing('Error: mine'),
    },
    python: {
      source:
        "class C:\n    def __str__(self): raise ValueError('mine')\nset_response(HttpResponse(200, C()))",
      stderr: showing('line 2, in __str__', 'ValueError: mine'),
    },
  },
];

const notLatin = 'the value has characters that headers cannot have (beyond Latin-1): encode them';
const notScalar = 'the value is neither text, a number nor a boolean';

/** Values of a response, with the Python value where it differs. */
export const values: readonly Rule[] = [
  ...(
    [
      [
        "{ a: [1, 'ż', null] }",
        '{"a":[1,"ż",null]}',
        "{'a': [1, 'ż', None]}",
        '{"a": [1, "ż", null]}',
      ],
      ['[1, { b: true }]', '[1,{"b":true}]', "[1, {'b': True}]", '[1, {"b": true}]'],
      ["'ż'", 'ż'],
      ['42', '42'],
      ['1.5', '1.5'],
      ['true', 'true', 'True', 'True'],
      ['null', '', 'None'],
    ] as const
  ).map(([node, content, python = node, ofPython = content]) => ({
    name: `${either(node, python)} as content is sent as ${either(content, ofPython)}`,
    response: { ...plain, content },
    node: `setResponse(new HttpResponse(200, ${node}))`,
    python: {
      source: `set_response(HttpResponse(200, ${python}))`,
      response: { ...plain, content: ofPython },
    },
  })),
  ...(
    [
      ["'ż'.encode()", 'ż'],
      ['(1, 2)', '(1, 2)'],
      ["__import__('collections').OrderedDict(a=1)", '{"a": 1}'],
    ] as const
  ).map(([value, content]) => ({
    name: `${value} as content is sent as ${content}`,
    python: `set_response(HttpResponse(200, ${value}))`,
    response: { ...plain, content },
  })),
  ...[["'404'", 404] as const, ['100', 100] as const, ['599', 599] as const].map(
    ([value, status]) => ({
      name: `${value} will do as status`,
      node: `setResponse(new HttpResponse(${value}))`,
      python: `set_response(HttpResponse(${value}))`,
      response: { ...plain, status },
    }),
  ),
  {
    name: 'a status of the library will do as status',
    python: "set_response(HttpResponse(__import__('http').HTTPStatus.CREATED))",
    response: { ...plain, status: 201 },
  },
  ...[
    ["'ok'"],
    ['99'],
    ['600'],
    ['{}', 'object()'],
    ['Infinity', "float('nan')"],
    ["200, '', 'text'"],
    ["200, '', 5"],
    ["200, '', 'a/b', 'x'"],
    ["200, '', 'a/b', ['x']", "200, '', 'a/b', [('a', 'b')]"],
  ].map(([node, python = node]) => ({
    name: `HttpResponse(${either(node, python)}) cannot be sent`,
    node: `setResponse(new HttpResponse(${node}))`,
    python: `set_response(HttpResponse(${python}))`,
    status: 'failure' as const,
    stderr: invalidResponse,
  })),
  ...(
    [
      ["'x\\r\\nb: c'", 'the value has a control character'],
      ["['b']", 'the value is a list, which only Set-Cookie may have'],
      ["'żółw'", notLatin],
      ['{}', notScalar],
      ['null', notScalar, 'None'],
    ] as const
  ).map(([value, problem, python = value]) => ({
    name: `a header with ${value} cannot be sent, and is named`,
    node: `setResponse(new HttpResponse(200, '', 'a/b', { 'X-Good': 'x', 'X-Bad': ${value} }))`,
    python: `set_response(HttpResponse(200, '', 'a/b', {'X-Good': 'x', 'X-Bad': ${python}}))`,
    status: 'failure' as const,
    stderr: `${invalidResponse}\nheader X-Bad: ${problem}`,
  })),
  {
    name: "NaN as a header's value is text in Python",
    python: "set_response(HttpResponse(200, '', 'a/b', {'X-A': float('nan')}))",
    response: { ...plain, content_type: 'a/b', headers: { 'X-A': 'nan' } },
  },
  {
    name: "bytes as a header's value are a failure",
    status: 'failure',
    python: {
      source: "set_response(HttpResponse(200, '', 'a/b', {'X-A': b'x'}))",
      stderr: showing('TypeError: a header of the response has bytes: decode them'),
    },
  },
  ...["new Headers({ 'x-a': 'b' })", "new Map([['x-a', 'b']])"].map((value) => ({
    name: `${value} are headers`,
    node: `setResponse(new HttpResponse(200, '', 'a/b', ${value}))`,
    response: { ...plain, content_type: 'a/b', headers: { 'x-a': 'b' } },
  })),
  {
    name: 'Headers with two cookies have both',
    node: "const h = new Headers(); h.append('Set-Cookie', 'a=1'); h.append('Set-Cookie', 'b=2'); setResponse(new HttpResponse(200, '', 'a/b', h))",
    response: { ...plain, content_type: 'a/b', headers: { 'set-cookie': ['a=1', 'b=2'] } },
  },
  {
    name: 'NaN in JavaScript becomes null, as JSON.stringify has it',
    node: 'setResponse(new HttpResponse(200, { x: NaN, y: [Infinity] }))',
    response: { ...plain, content: '{"x":null,"y":[null]}' },
  },
  ...[
    ["Buffer.from('ż')", "bytearray('ż'.encode())"],
    ["new TextEncoder().encode('ż')", "memoryview('ż'.encode())"],
    ["new TextEncoder().encode('-ż-').subarray(1, 3)", "memoryview('-ż-'.encode())[1:3]"],
    ["new TextEncoder().encode('ż').buffer", 'memoryview(bytes([0xc5, 0, 0xbc, 0]))[::2]'],
    ["new DataView(new TextEncoder().encode('ż').buffer)", "'ż'.encode()"],
    ['new Uint16Array([0xbcc5])', "__import__('array').array('H', [0xbcc5]).tobytes()"],
  ].map(([node = '', python = node]) => ({
    name: `${either(node, python)} is text that a trace can show`,
    node: `setResponse(new HttpResponse(200, ${node}))`,
    python: `set_response(HttpResponse(200, ${python}))`,
    response: { ...plain, content: 'ż' },
  })),
  {
    name: 'a byte order mark in bytes is kept',
    node: 'setResponse(new HttpResponse(200, Buffer.from([0xef, 0xbb, 0xbf, 65])))',
    python: "set_response(HttpResponse(200, b'\\xef\\xbb\\xbfA'))",
    response: { ...plain, content: '\ufeffA' },
  },
  {
    name: 'no bytes are an empty response',
    node: 'setResponse(new HttpResponse(200, Buffer.alloc(0)))',
    python: "set_response(HttpResponse(200, b''))",
    response: plain,
  },
];

/** Names a value of both languages. */
function either(node: string | undefined, python: string | undefined): string {
  return node === python ? `${node}` : `${node} (in Python ${python})`;
}
