import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepForeignHeaders } from '../../shared/core/pipeline/foreign-headers.ts';
import { judgeRun, omittedHeaders } from '../../shared/scripts/rules/script-result.ts';
import { maySetHeader } from '../../shared/values/text/response-headers.ts';

/* Headers that scripts may set: docs/reference/scripts.md#response-headers. */

/** The rule in other words: names that the page lists. */
const listed =
  'Content-Type Content-Disposition Content-Language Content-Encoding Content-Range Accept-Ranges Cache-Control Expires Pragma Vary Last-Modified Location Set-Cookie ETag Link WWW-Authenticate Retry-After Access-Control-Allow-Origin Access-Control-Allow-Credentials Access-Control-Allow-Methods Access-Control-Allow-Headers Access-Control-Expose-Headers Access-Control-Max-Age Content-Security-Policy'.split(
    ' ',
  );
const lowerCase = new Set(listed.map((name) => name.toLowerCase()));
const steering = [
  ...['X-Accel-Redirect', 'X-Accel-Expires', 'X-Accel-Limit-Rate', 'X-Accel-Buffering'],
  ...['X-Accel-Charset', 'X-Sendfile', 'X-Sendfile2', 'X-Sendfile-Type', 'X-LiteSpeed-Location'],
  ...['X-LiteSpeed-Cache-Control', 'X-Reproxy-URL', 'X-Real-IP', 'X-Forwarded-For'],
  ...['X-LIGHTTPD-send-file', 'X-Archive-Files', 'X-Envoy-Immediate-Health-Check-Fail'],
];
const others = [
  ...['Date', 'Server', 'Connection', 'Content-Length', 'Transfer-Encoding', 'Upgrade', 'Trailer'],
  ...['Surrogate-Control', 'NEL', 'Report-To', 'Clear-Site-Data', 'Alt-Svc', 'Accept-CH'],
  ...['Strict-Transport-Security', 'Service-Worker-Allowed', 'Allow', 'Via', 'Age', 'Refresh'],
  ...[
    'CDN-Cache-Control',
    'Content-Location',
    'Proxy-Authenticate',
    'X',
    '',
    '__proto__',
    'constructor',
  ],
];

/** Returns the names in spellings that some program may take for the same. */
function spellings(name: string): readonly string[] {
  return [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll('-', '_')].flatMap(
    (each) => [each, `${each} `, ` ${each}`, `${each}\t`, `${each}:`, `${each}\u0000`],
  );
}

describe('a header that a script may set', () => {
  it.each([...listed, 'X-Own', 'X-Frame-Options', 'X-Robots-Tag', 'X-Realm', 'X-Last-Id'])(
    '%s, in any case',
    (name) => {
      expect([name, name.toLowerCase(), name.toUpperCase()].map(maySetHeader)).toEqual([
        true,
        true,
        true,
      ]);
    },
  );
});

describe('a header that a script may not set', () => {
  it.each([...steering, ...others])('%s, in any spelling', (name) => {
    expect(spellings(name).filter(maySetHeader)).toEqual([]);
  });

  it.each(listed)('%s in a spelling that is none', (name) => {
    const [, ...none] = spellings(name).filter((each) => each.toLowerCase() !== name.toLowerCase());

    expect(none.filter(maySetHeader)).toEqual([]);
  });
});

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(...[...listed, ...steering, ...others].flatMap(spellings)),
  fc.tuple(fc.constantFrom('X-', 'x_', 'X'), fc.string({ maxLength: 12 })).map(([x, y]) => x + y),
);
const values = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.integer(), fc.boolean());
const headers = fc.array(fc.tuple(names, values), { maxLength: 8 }).map(Object.fromEntries);

/** States the rule of `X-*` by itself. */
function isListed(name: string): boolean {
  const lower = name.toLowerCase();
  const isFree =
    lower.startsWith('x-') &&
    !['accel', 'sendfile', 'litespeed', 'reproxy', 'real-', 'forwarded'].some((of) =>
      lower.startsWith(`x-${of}`),
    );
  return (
    /^[A-Za-z0-9-]+$/.test(name) &&
    (lowerCase.has(lower) || isFree || /^x-(accel|litespeed|reproxy|forwarded)[a-z]/.test(lower))
  );
}

describe('whatever headers a script sets', () => {
  const judge = (set: object) =>
    judgeRun({
      exitCode: 0,
      isTimedOut: false,
      isCut: false,
      stdout: '',
      stderr: '',
      response: JSON.stringify({
        status_code: 200,
        content: '',
        content_type: 'a/b',
        headers: set,
      }),
    });

  it('its response has those of the list, and the trace names the rest', () => {
    fc.assert(
      fc.property(headers, (set) => {
        const { status, response, stderr } = judge(set);
        const sent = Object.entries(response?.headers ?? {});
        const wanted = Object.keys(JSON.parse(JSON.stringify(set)));
        const omitted = wanted.filter((name) => !sent.some(([each]) => each === name));

        expect(sent.filter(([name]) => !isListed(name))).toEqual([]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        const unprintable = /[\u0000-\u0008\n-\u001f\u007f]/;
        expect(sent.filter(([, value]) => unprintable.test(String(value)))).toEqual([]);
        if (status === 'success') {
          expect(stderr).toBe(omitted.length === 0 ? '' : omittedHeaders(omitted));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['__proto__', 'constructor', 'prototype'])('it names %s', (name) => {
    const { response, stderr } = judge(JSON.parse(`{"${name}": "x", "X-Own": "y"}`));

    expect(response?.headers).toEqual({ 'X-Own': 'y' });
    expect(stderr).toBe(omittedHeaders([name]));
  });

  it('and whatever becomes of them, no other one is sent', () => {
    fc.assert(
      fc.property(headers, (set) => {
        const kept = keepForeignHeaders({ status: 200, headers: set });

        expect(Object.keys(kept.headers ?? {}).filter((name) => !isListed(name))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
