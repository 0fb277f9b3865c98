import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { methods } from '../../shared/core/routing/route.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import type { Credentials } from '../support/api.ts';
import {
  type FilledWorld,
  inOneVersion,
  isForPeople,
  isForUsers,
  isRedirect,
  isRun,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import type { RawResponse } from '../support/http-client.ts';
import { type LawfulCall, lawful } from '../support/lawful.ts';
import { sampleOf } from '../support/sample.ts';
import { watch } from '../support/watched-store.ts';

/*
 * Rules for every line of the map. Each request here is also checked by `lawful`. The soak run takes both versions of a
 * route, and sends all invalid parameters; other runs take one version, and a sample for each path.
 */

const marker = `<b title="x">'&amp;`;
const forged = `02${'0'.repeat(54)}`;
const refusals = {
  forbidden: { detail: 'You do not have permission to perform this action.' },
  badKey: { detail: 'No such API Key.' },
  missing: { detail: 'Not found.' },
};

const it = apiTest({ wrap: watch })
  .extend('world', { scope: 'file' }, ({ api }) => openFilledWorld(api, 'blog-1', marker))
  .extend('apiKey', { scope: 'file' }, ({ world }) =>
    world.apiKey({ ignore_acl: true, allow_anonymous_read: true }),
  )
  .extend('call', { scope: 'file' }, ({ world }) => lawful(world.api));
const everyPlace = openRules();

const reads = ({ route }: Place) => route.operations.GET !== undefined;
const responses = (place: Place) =>
  reads(place) && !isWait(place) && !isRedirect(place) && !isForPeople(place);
const isGrowing = ({ template }: Place) => template.endsWith('/request_log/'); // by each request
const isSteady = (place: Place) => responses(place) && !isRun(place) && !isGrowing(place);
const isNewest = ({ route, version }: Place) => version === 'v1.1' || !('v1.1' in route.paths);
const isProtected = ({ route }: Place) => route.access.anonymous === undefined;
const hasFields = ({ route }: Place) =>
  Object.values({ ...route.forms.POST, ...route.forms.PUT }).some((f) => f.writable !== 'never');

describe('OPTIONS', () => {
  const keys = /^name,description,renders,parses(,actions)?$/;

  everyPlace()(
    '%s describes itself to whom may read it',
    async ([_, place], { world, apiKey, call }) => {
      const responses = [];
      for (const as of [world.caller(place), apiKey, undefined]) {
        responses.push(await call({ as, method: 'OPTIONS', path: world.path(place) }));
      }

      const open = responses.filter(({ status }) => status === 200);
      expect(open).not.toEqual([]);
      for (const { body: shown } of open) {
        expect(Object.keys(shown).join()).toMatch(keys);
        expect(shown).toMatchObject({
          name: place.route.name,
          description: expect.any(String),
          renders: ['application/json', 'text/html'],
          parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
        });
        for (const [method, fields] of Object.entries(shown.actions ?? {})) {
          expect(['POST', 'PUT']).toContain(method);
          expect(place.route.operations).toHaveProperty(method);
          checkFields(fields as Described);
        }
      }
      const [asOwner] = responses;
      const forms = Object.keys(place.route.forms).filter((key) => key === 'POST' || key === 'PUT');
      if (asOwner?.status === 200) expect(Object.keys(asOwner.body.actions ?? {})).toEqual(forms);
    },
  );

  everyPlace(isProtected)(
    '%s says nothing without credentials',
    async ([_, place], { world, call }) => {
      const response = await call({ method: 'OPTIONS', path: world.path(place) });

      expect(body(response)).toEqual({ status: 403, body: refusals.forbidden });
    },
  );

  type Described = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const types =
    /^(field|boolean|string|slug|email|integer|float|datetime|choice|file upload|list|nested object|links)$/;
  const known = [
    'type',
    'required',
    'read_only',
    'label',
    'help_text',
    'min_length',
    'max_length',
    'min_value',
    'max_value',
    'child',
    'children',
    'choices',
    'schema',
    'links',
  ];

  function checkFields(fields: Described): void {
    for (const [name, field] of Object.entries(fields)) {
      const order = Object.keys(field).map((key) => known.indexOf(key));
      expect(order, name).toEqual([...order].sort((a, b) => a - b));
      expect(order, name).not.toContain(-1);
      expect(field, name).toMatchObject({
        type: expect.stringMatching(types),
        required: expect.any(Boolean),
        read_only: expect.any(Boolean),
        label: expect.stringMatching(/^[A-Z]/),
      });
      if (field.children !== undefined) checkFields(field.children as Described);
      const { child } = field as { readonly child?: { readonly children?: Described } };
      if (child?.children !== undefined) checkFields(child.children);
    }
  }

  everyPlace()(
    '%s answers a preflight before anything else',
    async ([_, place], { world, call }) => {
      const response = await call({
        method: 'OPTIONS',
        path: world.path(place).slice(0, -1),
        as: forged,
        headers: { 'Access-Control-Request-Method': 'PATCH' },
      });

      expect([response.status, response.text, response.headers['content-length']]).toEqual([
        200,
        '',
        '0',
      ]);
      expect(response.headers['access-control-allow-methods']).toBe(
        'DELETE, GET, OPTIONS, PATCH, POST, PUT',
      );
    },
  );
});

describe('methods', () => {
  everyPlace()(
    '%s names its own in Allow, also when it refuses',
    async ([_, place], { world, call }) => {
      const own = Object.keys(place.route.operations);
      const expected = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();

      for (const as of [world.caller(place), undefined, forged]) {
        const { headers } = await call({ as, method: 'OPTIONS', path: world.path(place) });
        expect(String(headers.allow).split(', ').sort()).toEqual(expected);
      }
    },
  );

  everyPlace()(
    '%s refuses others: 405 to whom may write, else 403',
    async ([_, place], { world, call }) => {
      for (const method of unknownMethods(place)) {
        const response = await call({ as: world.caller(place), method, path: world.path(place) });
        const refused = { detail: `Method "${method}" not allowed.` };
        expect([
          { status: 405, body: refused },
          { status: 403, body: refusals.forbidden },
        ]).toContainEqual(body(response));
      }
    },
  );

  everyPlace(isSteady)(
    '%s answers HEAD as GET, without the body',
    async ([_, place], { world, call }) => {
      const sent = { as: world.caller(place), path: world.path(place) };
      const get = await call(sent);
      const head = await call({ ...sent, method: 'HEAD' });
      const varying = { date: '', 'x-request-id': '' };

      expect(head.text).toBe('');
      expect({ ...head.headers, ...varying }).toEqual({ ...get.headers, ...varying });
      expect(head.status).toBe(get.status);
    },
  );
});

describe('paths', () => {
  everyPlace(({ template }) => template !== '/')(
    '%s is unknown without its last slash',
    async ([_, place], { world, call }) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const path = world.path(place).slice(0, -1);
        const response = await call({ as: world.caller(place), method, path });
        expect(body(response)).toEqual({ status: 404, body: refusals.missing });
      }
    },
  );

  everyPlace(({ template }) => template !== '/')(
    '%s has no other version',
    async ([_, place], { world, call }) => {
      for (const version of ['v2', 'v3', 'v1.2', 'V1.1', 'v11']) {
        const path = world.path(place).replace(/^\/[^/]+/, `/${version}`);
        expect((await call({ as: world.caller(place), path })).status).toBe(404);
      }
    },
  );

  everyPlace(({ template }) => template.includes('{instance}/'))(
    '%s is missing in an instance that is missing, also without credentials',
    async ([_, place], { world, call }) => {
      const path = world.path(place).replace('/blog-1/', '/blog-2/');
      const isThing = place.route.instance === 'thing';
      const { exists, otherwise } = place.route; // where it is off, there may be no such path
      const isUnknown = exists !== undefined && otherwise === undefined;
      const detail = isUnknown ? 'Not found.' : 'Instance was not found.';

      const responses = [await call({ path }), await call({ as: world.caller(place), path })];

      expect(responses.map(body)).toEqual([
        isThing ? { status: 403, body: refusals.forbidden } : { status: 404, body: { detail } },
        isThing ? { status: 404, body: refusals.missing } : { status: 404, body: { detail } },
      ]);
    },
  );

  const nasty = [
    '%00',
    '%01',
    '%ff',
    '%c0%af',
    '%2F',
    '%252F',
    '%2e',
    '%2e%2e',
    '..%2f..%2f',
    '.',
    '..',
    '%ed%a0%80',
    '%F0%9F%98%80',
    '%0d%0aX:1',
    '%20',
    '+',
    '%',
    '%zz',
    '%u0041',
    '~',
    '*',
    '@',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1e3',
    '0x1',
    '1.0',
    '2147483648',
    '4294967296',
    '9999999999',
    '99999999999',
    "'",
    '%22',
    '%3Cscript%3E',
    '{id}',
    '%7Binstance%7D',
    '%EF%BC%91',
    ';',
    'a;b',
    '%23',
    '%3F',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(5000),
    'INSTANCE%23',
    '%CB%9A',
    'K%CC%87',
  ];

  /** The path of a route with each of its parameters replaced by each invalid value in turn. */
  function nastyPaths(world: FilledWorld, place: Place): readonly string[] {
    const segments = world.path(place).split('/');
    return place.template
      .replace(/(\{link\}\/).*/, '$1') // parameters after it are not checked
      .split('/')
      .flatMap((segment, at) =>
        segment.startsWith('{') ? nasty.map((value) => segments.with(at, value).join('/')) : [],
      );
  }

  // both versions have the same routes
  everyPlace((place) => place.template.includes('{') && isNewest(place))(
    '%s has no parameter that makes a fault or a change',
    async ([_, place], { store, world, call }) => {
      const before = await store.dump();

      for (const path of sampleOf(nastyPaths(world, place), 12)) {
        for (const method of Object.keys(place.route.operations)) {
          const body = method === 'GET' ? undefined : {};
          const response = await call({ as: world.caller(place), method, path, body });
          expect([400, 404]).toContain(response.status);
        }
        await call({ as: world.caller(place), method: 'OPTIONS', path });
      }

      expect(await store.dump()).toEqual(before);
    },
  );
});

describe('credentials', () => {
  everyPlace(isProtected)('%s is closed without them', async ([_, place], { world, call }) => {
    for (const method of [...Object.keys(place.route.operations), ...unknownMethods(place)]) {
      const response = await call({ method, path: world.path(place) });
      expect(body(response), method).toEqual({ status: 403, body: refusals.forbidden });
    }
  });

  const readsKeys = ({ route }: Place) => !route.ignoresCredentials;
  const bad: readonly [string, string][] = [
    ['of nobody', forged],
    ['of another shape', 'a'.repeat(40)],
    ['that is not hex', 'no key at all'],
  ];

  everyPlace(readsKeys)(
    '%s refuses a forged key before all else',
    async ([_, place], { world, call }) => {
      const path = world
        .path(place)
        .replace('/blog-1/', place.route.exists ? '/blog-1/' : '/blog-2/');

      for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
        for (const [, key] of bad) {
          const response = await call({
            method,
            path: `${path}?page_size=x`,
            as: key,
            headers: { Accept: 'application/xml', 'Content-Type': 'application/json' },
            ...(method === 'POST' && { body: '{"' }),
          });
          expect(body(response)).toEqual({ status: 403, body: refusals.badKey });
        }
      }
    },
  );

  everyPlace((place) => readsKeys(place) && isSteady(place) && !isForUsers(place))(
    '%s finds them in every place',
    async ([_, place], { world, call }) => {
      const path = world.path(place);

      const responses = await Promise.all([
        call({ path, headers: { 'X-API-KEY': world.owner.toUpperCase() } }),
        call({ path: `${path}?api_key=${world.owner}` }),
        call({ path: `${path}?apikey=${world.owner}` }),
        call({ path, headers: { Authorization: `token ${world.owner}` } }),
        call({ path, headers: { Authorization: `token ${world.owner}`, 'X-API-KEY': '' } }),
        call({
          method: 'POST',
          path,
          headers: { 'Content-Type': 'text/plain' },
          body: JSON.stringify({ _method: 'GET', _api_key: world.owner }),
        }),
      ]);

      const [first] = responses.map(body);
      expect(first?.status).toBe(200);
      for (const response of responses) {
        expect(body(response)).toEqual(first);
        expect(response.text).not.toContain('_key=');
      }
    },
  );
});

describe('the form of responses', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  everyPlace((place) => !isWait(place))(
    '%s gives a browser a page of the same status',
    async ([_, place], { world, call }) => {
      for (const as of [world.caller(place), undefined]) {
        for (const method of ['GET', 'OPTIONS', 'PROPFIND']) {
          const sent = { as, method, path: world.path(place) };

          const json = await call(sent);
          const page = await call({ ...sent, headers: { Accept: browser } });

          expect(page.status).toBe(json.status);
          expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
          expect(page.text).not.toContain('<b title');
          expect(page.text.includes('&lt;b title')).toBe(json.text.includes('<b title'));
        }
      }
    },
  );

  everyPlace(({ template }) => /\{(?!instance)\w+\}/.test(template))(
    '%s shows a browser its path as text',
    async ([_, place], { world, call }) => {
      const path = world.path(place).split('/');
      const at = place.template.split('/').findLastIndex((segment) => segment.startsWith('{'));

      const page = await call({
        as: world.caller(place),
        path: path.with(at, '%22%3E%3Cscript%3E').join('/'),
        headers: { Accept: browser },
      });

      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('&quot;&gt;&lt;script&gt;');
      expect(page.text.match(/<script/g)).toHaveLength(1); // our own
    },
  );

  everyPlace(isSteady)(
    '%s gives JSON unless something else is wanted more',
    async ([_, place], { world, call }) => {
      const sent = { as: world.caller(place), path: world.path(place) };
      const json = await call(sent);

      for (const accept of ['*/*', 'application/*', 'application/json', '', 'a/b, */*;q=0.1']) {
        expect((await call({ ...sent, headers: { Accept: accept } })).text).toBe(json.text);
      }
      const forced = await call({
        ...sent,
        path: `${sent.path}?format=json`,
        headers: { Accept: browser },
      });
      expect([forced.status, forced.headers['content-type']]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
    },
  );

  everyPlace()('%s refuses forms that there are none of', async ([_, place], { world, call }) => {
    const sent = { as: world.caller(place), path: world.path(place) };

    const xml = await call({ ...sent, headers: { Accept: 'application/xml' } });
    const unknown = await call({ ...sent, path: `${sent.path}?format=xml` });

    expect(body(xml)).toEqual({
      status: 406,
      body: { detail: 'Could not satisfy the request Accept header.' },
    });
    expect(body(unknown)).toEqual({ status: 404, body: refusals.missing });
  });

  everyPlace((place) => place.route.kind === 'list' && reads(place) && !isGrowing(place))(
    '%s is a page',
    async ([_, place], { world, call }) => {
      const path = world.path(place);

      const { status, body: page } = await call({ as: world.caller(place), path });
      const empty = await call({ as: world.caller(place), path: `${path}?page_size=0` });
      const last = await call({ as: world.caller(place), path: `${path}?direction=0&page_size=1` });

      expect(status).toBe(200);
      expect(page).toEqual({ next: null, prev: null, objects: expect.any(Array) });
      expect(empty.body).toEqual({ next: null, prev: null, objects: [] });
      expect(last.body.objects).toEqual(page.objects.slice(-1));
      for (const bad of ['page_size=x', 'page_size=-1', 'direction=2', 'last_pk=2147483648']) {
        const refused = await call({ as: world.caller(place), path: `${path}?${bad}` });
        expect(body(refused)).toEqual({
          status: 400,
          body: { detail: 'Incorrect page parameter provided.' },
        });
      }
    },
  );

  const router = createRouter(routes);

  async function checkLink(
    call: LawfulCall,
    as: Credentials,
    link: string,
    place: Place,
  ): Promise<void> {
    expect(
      link.startsWith(place.route.isRoot ? '/v1' : `/${place.version}/`) && link.endsWith('/'),
      link,
    ).toBe(true);
    const match = router(link);
    if (match === undefined) return; // families come one by one
    const { GET } = match.route.operations;
    const method = GET === undefined || GET.waits ? 'OPTIONS' : 'GET';
    const response = await call({ as, method, path: link });
    // the event log and the default channel have rooms: their history needs one
    if (/\/channels\/(default|eventlog)\/history\/$/.test(link)) return;
    // an invitation links to an instance where the invited account has no permissions yet
    expect(response.status, link).toBe(link.includes('/host-of-') ? 404 : 200);
  }

  everyPlace(responses)(
    '%s links to what is there, in its own version',
    async ([_, place], { world, call }) => {
      const path = world.path(place);

      const as = world.caller(place);
      const { body: shown } = await call({ as, path });

      const objects: readonly Linked[] = shown.objects ?? [];
      for (const { links = {} } of [shown as Linked, ...objects]) {
        for (const link of pathsIn(links)) await checkLink(call, as, link, place);
      }
      const things = hasLinks(place) ? objects : [];
      for (const { links } of things) expect(links?.self).toMatch(/^\//);
      if (place.route.kind === 'detail') expect(shown.links.self).toBe(selfOf(path));
    },
  );

  /** Returns the self link at a path: that of a backup is outside of its instance (docs/reference/backups.md#backups). */
  function selfOf(path: string): string {
    return path.replace(/instances\/[^/]+\/(?=backups\/)/, '');
  }

  function hasLinks({ route }: Place): boolean {
    return route.forms.response?.links !== undefined;
  }

  interface Linked {
    readonly links?: Readonly<Record<string, unknown>>;
  }

  /** Links may be grouped. */
  function pathsIn(links: object): readonly string[] {
    return Object.values(links).flatMap((link) =>
      typeof link === 'object' ? pathsIn(link) : [String(link)],
    );
  }
});

describe('bad bodies', () => {
  const bodies: readonly [string, string, string][] = [
    ['no JSON', 'application/json', '{"a": 1'],
    ['a list', 'application/json', '[1]'],
    ['text', 'application/json', '"{}"'],
    ['a number', 'application/json', '7'],
    ['null', 'application/json', 'null'],
    ['XML', 'application/xml', '<a/>'],
    ['no parts', 'multipart/form-data', 'a=1'],
    ['a cut part', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; na'],
    ['a bad charset', 'application/json; charset=klingon', '{"description": "x"}'],
  ];

  everyPlace((place) => writeMethods(place).length > 0 && hasFields(place))(
    '%s refuses them and changes nothing',
    async ([_, place], { store, world, call }) => {
      const before = await store.dump();

      for (const method of writeMethods(place)) {
        for (const [name, type, text] of bodies) {
          const response = await call({
            as: world.caller(place),
            method,
            path: world.path(place),
            headers: { 'Content-Type': type },
            body: text,
          });
          expect(response.status, `${method} ${name}`).toBe(name === 'XML' ? 415 : 400);
        }
      }
      expect(await store.dump()).toEqual(before);
    },
  );
});

describe('a query that is no text', () => {
  const runsCode = ({ route }: Place) => route.operations.GET?.runsCode === true;

  everyPlace(responses)(
    '%s rejects it, unless a script gets it',
    async ([_, place], { world, call }) => {
      const path = `${world.path(place)}?caf%C3%A9=caf%E9`;
      const response = await call({ as: world.caller(place), path });

      const detail = 'Query parse error - the value of "café" is not valid utf-8';
      expect(body(response)).toEqual(
        runsCode(place)
          ? { status: 200, body: expect.anything() }
          : { status: 400, body: { detail } },
      );
    },
  );
});

/** Returns a function for the routes of the map that match, in one version by turns, one test each. */
function openRules() {
  let rules = 0;
  return (isWanted: (place: Place) => boolean = () => true) => {
    rules += 1;
    const wanted = inOneVersion(places.filter(isWanted), rules);
    return it.for(wanted.map((place) => [place.name, place] as const));
  };
}

function writeMethods({ route }: Place): readonly string[] {
  return ['POST', 'PUT', 'PATCH'].filter((method) => method in route.operations);
}

function unknownMethods({ route }: Place): readonly string[] {
  return [...methods, 'PROPFIND', 'LINK'].filter((method) => !(method in route.operations));
}

function body({ status, body: sent }: RawResponse) {
  return { status, body: sent };
}
