import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressAt,
  at,
  below,
  checkPath,
  PathError,
  type RequestPath,
} from '../../shared/values/text/request-path.ts';

/** Pieces of which hostile names are made, and any other characters, also halves of them. */
const pieces = [
  '.',
  '..',
  '%2e',
  '%2E',
  '%',
  '/',
  '\\',
  '%2f',
  '%5c',
  '?',
  '#',
  ';',
  ':',
  '@',
  ' ',
];
const piece = fc.oneof(
  fc.constantFrom(...pieces, '\t', '\n', '\0', '\u00a0', '\u2028', '.\u0307', '%00', '\ud800'),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);
const name = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
const bases = ['http://host/', 'https://host:8443/below/a/prefix/', 'http://127.0.0.1:3000/v1.1/'];

/** Everything that the URL parser takes for `.` or `..`. */
const dots = ['.', '%2e', '%2E'].flatMap((one) => [
  one,
  ...['.', '%2e', '%2E'].map((other) => one + other),
]);

function tried(build: () => RequestPath): RequestPath | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function segmentsOf(url: URL): readonly string[] {
  return url.pathname.split('/');
}

describe('a path of any names', () => {
  it('has its segments in the URL of each base, and they decode to the names', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bases), name, name, name, (base, one, two, three) => {
        const path = tried(() => at`instances/${one}/classes/${two}/objects/${three}/`);
        if (path === undefined) {
          const isBad = [one, two, three].some(
            (each) => each === '' || hasDots(each) || !isText(each),
          );
          expect(isBad).toBe(true);
          return;
        }
        const url = new URL(path, base);
        const before = segmentsOf(new URL(base)).slice(0, -1);
        const wanted = ['instances', one, 'classes', two, 'objects', three, ''];
        expect(url.origin).toBe(new URL(base).origin);
        expect(url.search + url.hash).toBe('');
        expect(segmentsOf(url).map(decodeURIComponent)).toEqual([...before, ...wanted]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is the same when it is built in steps', () => {
    fc.assert(
      fc.property(name, name, (one, two) => {
        const whole = tried(() => at`/v1.1/instances/${one}/groups/${two}/`);
        const parts = tried(() => below(below(at`/v1.1/`)`instances/${one}/`)`groups/${two}/`);
        expect(parts).toBe(whole);
      }),
    );
  });

  it('keeps any value of a query in it', () => {
    fc.assert(
      fc.property(name.filter(isText), (value) => {
        const url = new URL(at`classes/?name=${value}&page_size=${1}`, bases[0]);
        expect(url.pathname).toBe('/classes/');
        expect(url.searchParams.get('name')).toBe(value);
        expect(url.searchParams.get('page_size')).toBe('1');
      }),
    );
  });
});

describe('a path that others have written', () => {
  it('stays on the server and below its folder, with its segments', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...bases),
        fc.constantFrom('', '/', 'groups/'),
        name,
        (...all) => {
          const [base, start, rest] = all;
          const path = tried(() => checkPath(start + rest));
          if (path === undefined) return;
          const url = new URL(path, base);
          const [given = ''] = path.split(/[?#]/, 1);
          const before =
            given.startsWith('/') || given === '' ? [] : segmentsOf(new URL(base)).slice(0, -1);
          const count = given === '' ? segmentsOf(new URL(base)).length : given.split('/').length;
          expect(url.origin).toBe(new URL(base).origin);
          expect(segmentsOf(url)).toHaveLength(before.length + count);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ...dots.flatMap((each) => [each, `/v1.1/${each}`, `groups/${each}/users/`, `${each}?page=1`]),
    ...['//evil.example/', 'https://evil.example/', 'https:evil', 'javascript:alert(1)'],
    ...['/\\evil.example/', 'a\\..\\b', 'groups//users/', '.\t./', ' ../', 'groups/.. ', '.\n.'],
  ])('%j is refused', (path) => {
    expect(() => checkPath(path)).toThrow(PathError);
  });

  it.each([
    '',
    '/',
    'groups/',
    '/v1.1/instances/library/classes/book/objects/?page_size=1&last_pk=5&direction=1',
    '/v1/instances/library/',
    'objects/?query={"a":"../.."}',
    '/gw/v1.1/instances/',
    'devices/a..b/.../',
  ])('%j stays as it is', (path) => {
    expect(checkPath(path)).toBe(path);
  });
});

describe('the address of a path', () => {
  it('is on the server, below its path, whatever the path begins with', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bases), name, (base, rest) => {
        const path = tried(() => checkPath(`/${rest}`));
        if (path === undefined) return;
        const url = addressAt(base, path);
        const [given = ''] = path.split(/[?#]/, 1);
        expect(url.href.startsWith(base)).toBe(true);
        expect(segmentsOf(url).length).toBe(
          segmentsOf(new URL(base)).length - 1 + given.slice(1).split('/').length,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['/https:evil.example/', '/javascript:x', '/https:'])(
    'of %s is no other server',
    (path) => {
      expect(addressAt('http://host/gw', checkPath(path)).href).toBe(`http://host/gw${path}`);
    },
  );
});

describe('a name that cannot be a segment', () => {
  it.each(dots)('%s is refused', (each) => {
    expect(() => at`instances/${each}/`).toThrow(`"${each}" is not a name for a path`);
  });

  it('is refused when it is empty, or half of a character', () => {
    expect(() => at`instances/${''}/`).toThrow('a name is missing after "instances/"');
    expect(() => at`instances/${'\ud800'}/`).toThrow('is not valid text');
  });

  it.each(['1/../..', '1\\..', '../1', 'a/./b', './a'])(
    '%s is refused: a proxy that decodes slashes resolves it',
    (each) => {
      expect(() => at`triggers/${each}/`).toThrow(PathError);
      expect(() => checkPath(`triggers/${encodeURIComponent(each)}/`)).toThrow(PathError);
    },
  );

  it('does not become one with the text around it', () => {
    expect(() => at`instances/.${'.'}/`).toThrow(PathError);
    expect(() => below(at`instances/a`)`${'b'}/`).toThrow('is not below');
    expect(() => below(at`instances/?a=1`)`/b/`).toThrow('is not below');
  });
});

/** Tells whether a part of a name is taken for `.` or `..` where slashes are decoded. */
function hasDots(text: string): boolean {
  return text.split(/[/\\]|%2f|%5c/i).some((part) => dots.includes(part));
}

/** Tells whether a text has no half of a character. */
function isText(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}
