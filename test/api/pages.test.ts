import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { Api, World } from '../support/api.ts';
import { type ApiResponse, type Call, type Credentials, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

describe('headers', () => {
  it('responses in both forms vary by Accept', async ({ api, world, given: { base } }) => {
    const json = await api.send({ as: world.owner, path: base });
    const page = await browse(api, { as: world.owner, path: base });

    for (const { headers } of [json, page]) expect(headers.get('Vary')).toMatch(/\bAccept\b(?!-)/);
  });

  it('a page runs only its own scripts, and is not cached', async ({
    api,
    world,
    given: { base },
  }) => {
    const { body, headers } = await browse(api, { as: world.owner, path: base });

    const part = (name: string) =>
      new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(body)?.[1] ?? '';
    const hash = (text: string) => createHash('sha256').update(text).digest('base64');
    expect(headers.get('Content-Security-Policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash(part('script'))}'`,
      `style-src 'sha256-${hash(part('style'))}'`,
      "connect-src 'self'",
      'img-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(body).not.toMatch(/ (on\w+|style)="| (src|href)="(?!\/|\.\.\/|#|data:)/);
    expect(part('script').length + part('style').length).toBeLessThan(30_000);
  });

  it('HEAD returns the length of the page', async ({ api, world, given: { base } }) => {
    const { body } = await browse(api, { as: world.owner, path: base });
    const { headers, status } = await browse(api, {
      as: world.owner,
      method: 'HEAD',
      path: base,
      headers: { 'Accept-Encoding': 'gzip' },
    });

    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const length = Number(headers.get('Content-Length'));
    expect(length).toBeGreaterThan(1000);
    expect(length).toBeLessThan(body.length); // it is of the compressed page
  });
});

describe('forms', () => {
  it.for([
    ['owner', 'classes/', ['POST']],
    ['reader', 'classes/', []],
    ['app', 'classes/', []],
    ['owner', 'classes/place/', ['PATCH', 'PUT', 'DELETE']],
    ['reader', 'classes/place/', []],
    ['app', 'classes/place/objects/', ['POST']],
    ['app', 'classes/place/objects/1/', ['PATCH', 'PUT', 'DELETE']],
    ['owner', 'classes/place/objects/99/', []],
    ['owner', 'api_keys/1/reset_key/', ['POST']],
    ['owner', 'admins/', []],
    ['nobody', 'classes/', []],
    ['owner', 'snippets/', []],
  ] as const)(
    'match the fields that %s may write at %s',
    async ([who, path, methods], { api, given: { callers, base } }) => {
      const page = await browse(api, { as: callers[who], path: base + path });

      expect(methodsOf(page)).toEqual(methods);
    },
  );

  it('include one for log-in, which has no GET', async ({ api }) => {
    const page = await browse(api, { path: '/v1.1/account/auth/' });

    expect(page.status).toBe(405);
    expect(methodsOf(page)).toEqual(['POST']);
    expect(page.body).toContain('id="post-email" data-field="email" data-kind="text"');
  });

  it('fields become controls of their type, with the stored values', async ({
    api,
    world,
    given: { objects },
  }) => {
    const { body } = await browse(api, { as: world.owner, path: `${objects}1/` });

    const control = (name: string) =>
      new RegExp(`<(?:input|select|textarea)[^>]*data-field="${name}"[^>]*>`).exec(body)?.[0];
    expect(control('title')).toContain('value="&lt;/pre&gt;&lt;script&gt;"');
    expect(control('open')).toMatch(/^<input type="checkbox".*data-initial="null"/);
    expect(control('plan')).toMatch(/^<input type="file"/);
    expect(control('more')).toMatch(/^<textarea class="code".*data-kind="json"/);
    expect(control('other_permissions')).toMatch(/^<select/);
    expect(body).toContain('<option value="read" selected>read</option>');
    expect(control('created_at')).toBeUndefined();
  });
});

describe('the content of the page', () => {
  it('next and prev are buttons, and no other value becomes one', async ({
    api,
    world,
    given: { objects },
  }) => {
    const second = await browse(api, {
      as: world.owner,
      path: `${objects}?page_size=1&direction=1&last_pk=1`,
    });
    const object = await browse(api, { as: world.owner, path: `${objects}1/` });

    const buttons = (body: string) => [...body.matchAll(/ rel="(next|prev)" href="([^"]*)"/g)];
    expect(buttons(second.body).map(([, rel, href]) => [rel, href])).toEqual(
      [0, 1].flatMap(() => [
        ['prev', `${objects}?page_size=1&amp;direction=0&amp;last_pk=2`],
        ['next', `${objects}?page_size=1&amp;direction=1&amp;last_pk=2`],
      ]),
    );
    expect(buttons(object.body)).toEqual([]);
  });

  it('paths in links are links; text that resembles a path is text', async ({
    api,
    world,
    given: { objects },
  }) => {
    const { body } = await browse(api, { as: world.owner, path: `${objects}1/` });

    const [, json = ''] = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body) ?? [];
    expect([...json.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([`${objects}1/`]);
    expect(json).toContain('javascript:alert(1)');
    expect(json).toContain('&lt;/pre&gt;&lt;script&gt;');
  });

  it('keys of the address are in neither the page nor its links', async ({
    api,
    given: { callers, objects },
  }) => {
    const key = String(callers.app);
    const { status, body } = await browse(api, {
      path: `${objects}?page_size=1&api_key=${key}&user_key=u`,
    });

    expect(status).toBe(200);
    expect(body).toContain('?page_size=1</code>');
    expect(body).not.toContain(key);
    expect(body).not.toContain('user_key=');
  });

  it('a response to OPTIONS and a rejected write are pages too', async ({
    api,
    world,
    given: { base },
  }) => {
    const options = await browse(api, {
      as: world.owner,
      method: 'OPTIONS',
      path: `${base}classes/`,
    });
    const refused = await browse(api, { as: world.owner, path: `${base}classes/`, body: {} });

    expect([options.status, refused.status]).toEqual([200, 400]);
    expect(options.body).toContain('<h1 id="title" tabindex="-1">Classes</h1>');
    expect(refused.body).toContain('This field is required.');
  });

  it('a very long response remains plain', async ({ api, world, given: { objects } }) => {
    const long = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`k${i}`, '<'.repeat(3000)]),
    );
    for (let i = 0; i < 20; i++) {
      expected(await api.send({ as: world.owner, path: objects, body: { more: long } }), 201);
    }

    const { status, body } = await browse(api, { as: world.owner, path: objects });

    expect(status).toBe(200);
    expect(body).toContain('{\n  &quot;next&quot;: null');
    expect(body).not.toContain('<<');
  });
});

async function setUp(world: World) {
  const { api } = world;
  const base = world.base;
  const place = await world.dataClass(
    'place',
    [
      { name: 'title', type: 'string' },
      { name: 'open', type: 'boolean' },
      { name: 'plan', type: 'file' },
      { name: 'next', type: 'string' },
      { name: 'more', type: 'object' },
    ],
    { other_permissions: 'create_objects' },
  );
  const objects = `${place}objects/`;
  const evil = { links: { self: 'javascript:alert(1)', other: '//evil.example/' } };
  for (const title of ['</pre><script>', 'b', 'c']) {
    const body = { title, next: '/v1.1/account/', more: evil, other_permissions: 'read' };
    expected(await api.send({ as: world.owner, path: objects, body }), 201);
  }
  const callers: Readonly<Record<string, Credentials>> = {
    owner: world.owner,
    reader: await joinAs(world, 'read'),
    app: await world.apiKey({ ignore_acl: true }),
    onlooker: await world.apiKey({ allow_anonymous_read: true }),
    nobody: undefined,
  };
  return { base, callers, objects };
}

const browse = (api: Api, call: Call): Promise<ApiResponse> =>
  api.send({ ...call, headers: { Accept: 'text/html', ...call.headers } });

/** Returns the fields of a page's forms, in their order. */
const methodsOf = ({ body }: ApiResponse): readonly string[] =>
  [...String(body).matchAll(/<button type="submit" value="(\w+)"/g)].map(
    ([, method = '']) => method,
  );
