import { invalidResponse } from '../../../shared/scripts/rules/script-result.ts';
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
    ["200, '', 'a/b', { a: 'x\\r\\nb: c' }", "200, '', 'a/b', {'a': 'x\\r\\nb: c'}"],
    ["200, '', 'a/b', { a: ['b'] }", "200, '', 'a/b', {'a': ['b']}"],
  ].map(([node, python = node]) => ({
    name: `HttpResponse(${either(node, python)}) cannot be sent`,
    node: `setResponse(new HttpResponse(${node}))`,
    python: `set_response(HttpResponse(${python}))`,
    status: 'failure' as const,
    stderr: invalidResponse,
  })),
];

/** Names a value of both languages. */
function either(node: string | undefined, python: string | undefined): string {
  return node === python ? `${node}` : `${node} (in Python ${python})`;
}
