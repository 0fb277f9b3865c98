import { expect } from 'vitest';

/** A request of a journey, and the response that it must get. */
export interface Step {
  /** Method and path. */
  readonly call: string;
  readonly as?: 'owner' | 'app';
  readonly query?: string;
  readonly body?: unknown;
  readonly status: number;
  /** Absent: any body. */
  readonly answer?: unknown;
}

const theCode = 'the set-up code'; // placeholder
const theScan = 'the address of the scan'; // placeholder
const scanForm = Buffer.from(
  '--XX\r\ncontent-disposition: form-data; name="scan"; filename="a.png"\r\n\r\npixels\r\n--XX--\r\n',
);

/** One life of a deployment, through every family. */
export const journey: readonly Step[] = [
  { call: 'GET /', status: 200, answer: { links: { v1: '/v1/', 'v1.1': '/v1.1/' } } },
  { call: 'GET /v1.1/instances/', status: 403 },
  {
    call: 'POST /v1.1/account/register/',
    body: { email: 'a@example.com', password: 'secret' },
    status: 400,
    answer: { detail: 'Registration disabled.' },
  },
  {
    call: 'POST /v1.1/account/register/',
    body: { email: 'a@example.com', password: 'secret', invitation_key: theCode },
    status: 201,
    answer: expect.objectContaining({ email: 'a@example.com', account_key: expect.any(String) }),
  },
  {
    call: 'POST /v1/account/auth/',
    body: { email: 'a@example.com', password: 'wrong' },
    status: 401,
  },
  {
    call: 'POST /v1/account/auth/',
    body: { email: 'a@example.com', password: 'secret' },
    status: 200,
  },
  { call: 'GET /v1.1/account/', as: 'owner', status: 200 },
  {
    call: 'PATCH /v1.1/account/',
    as: 'owner',
    body: { first_name: 'Ada', metadata: { a: 1 } },
    status: 200,
  },
  { call: 'POST /v1.1/instances/', as: 'owner', body: { name: 'first-name' }, status: 201 },
  { call: 'GET /v1.1/instances/', as: 'owner', status: 200 },
  { call: 'GET /v1.1/instances/first-name/snippets/', as: 'owner', status: 200 },
  {
    call: 'POST /v1.1/instances/first-name/rename/',
    as: 'owner',
    body: { new_name: 'my-news' },
    status: 200,
  },
  {
    call: 'POST /v1.1/instances/my-news/invitations/',
    as: 'owner',
    body: { email: 'b@example.com', role: 'read' },
    status: 201,
  },
  { call: 'GET /v1.1/instances/my-news/invitations/', as: 'owner', status: 200 },
  { call: 'POST /v1.1/instances/my-news/invitations/1/resend/', as: 'owner', status: 204 },
  { call: 'GET /v1.1/instances/my-news/admins/', as: 'owner', status: 200 },
  { call: 'GET /v1.1/account/invitations/', as: 'owner', status: 200 },
  {
    call: 'POST /v1.1/account/password/reset/',
    body: { email: 'a@example.com' },
    status: 204,
  },
  {
    call: 'PUT /v1.1/instances/my-news/snippets/config/',
    as: 'owner',
    body: { config: { a: 1 } },
    status: 200,
  },
  {
    call: 'POST /v1.1/instances/my-news/api_keys/',
    as: 'owner',
    body: { ignore_acl: true },
    status: 201,
  },
  { call: 'GET /v1.1/instances/my-news/api_keys/', as: 'owner', status: 200 },
  {
    call: 'POST /v1.1/instances/my-news/classes/',
    as: 'owner',
    body: {
      name: 'post',
      schema: [
        { name: 'title', type: 'string', filter_index: true, order_index: true },
        { name: 'slug', type: 'string', unique: true },
        { name: 'scan', type: 'file' },
        { name: 'sequel', type: 'reference', target: 'self' },
      ],
    },
    status: 201,
  },
  { call: 'GET /v1.1/instances/my-news/classes/', as: 'owner', status: 200 },
  {
    call: 'PATCH /v1.1/instances/my-news/classes/post/',
    as: 'owner',
    body: { description: 'what is new' },
    status: 200,
  },
  {
    call: 'POST /v1.1/instances/my-news/classes/post/objects/',
    as: 'app',
    body: { title: 'Żółw', slug: 'zolw' },
    status: 201,
    answer: expect.objectContaining({ id: 1, revision: 1, title: 'Żółw', slug: 'zolw' }),
  },
  {
    call: 'PATCH /v1.1/instances/my-news/classes/post/objects/1/',
    as: 'app',
    body: { slug: 'tortoise' },
    status: 200,
  },
  {
    call: 'POST /v1.1/instances/my-news/classes/post/objects/',
    as: 'app',
    body: scanForm,
    status: 201,
    answer: expect.objectContaining({
      scan: {
        type: 'file',
        value: expect.stringMatching(/^https:\/\/.*\/1\/2\/[0-9a-f]{40}\.png$/),
      },
    }),
  },
  {
    call: 'POST /v1.1/instances/my-news/classes/post/uploads/',
    as: 'app',
    body: { filename: 'film.mp4' },
    status: 201,
    answer: {
      url: expect.stringContaining('http'),
      fields: expect.objectContaining({
        key: expect.stringMatching(/^uploads\/1\/2\/0\/[0-9a-f]{40}\.mp4$/),
        'Content-Type': 'video/mp4',
        Policy: expect.any(String),
        'X-Amz-Signature': expect.any(String),
      }),
      file: expect.stringMatching(/^uploads\//),
      max_size: 134_217_728,
      expires_at: expect.any(String),
    },
  },
  {
    call: 'POST /v1.1/instances/my-news/classes/post/objects/',
    as: 'app',
    body: { scan: theScan },
    status: 201,
  },
  { call: 'DELETE /v1.1/instances/my-news/classes/post/objects/3/', as: 'app', status: 204 },
  { call: 'DELETE /v1.1/instances/my-news/classes/post/objects/2/', as: 'app', status: 204 },
  {
    call: 'GET /v1.1/instances/my-news/classes/post/objects/1/',
    as: 'app',
    status: 200,
    answer: expect.objectContaining({ id: 1, revision: 2, title: 'Żółw', slug: 'tortoise' }),
  },
  {
    call: 'GET /v1.1/instances/my-news/classes/post/objects/',
    as: 'app',
    query: 'page_size=10',
    status: 200,
    answer: expect.objectContaining({ objects: [expect.objectContaining({ id: 1 })] }),
  },
  {
    call: 'POST /v1.1/instances/my-news/endpoints/data/',
    as: 'owner',
    body: { name: 'all', class: 'post', query: { title: { _exists: true } }, expand: 'sequel' },
    status: 201,
  },
  {
    call: 'POST /v1.1/instances/my-news/endpoints/data/all/post/',
    as: 'app',
    body: { title: 'Jeż', slug: 'jez', sequel: 1 },
    status: 201,
  },
  {
    call: 'GET /v1.1/instances/my-news/endpoints/data/all/get/',
    as: 'app',
    query: 'order_by=-title',
    status: 200,
    answer: expect.objectContaining({
      objects: [
        expect.objectContaining({ id: 1, sequel: null }),
        expect.objectContaining({ id: 4, sequel: expect.objectContaining({ title: 'Żółw' }) }),
      ],
    }),
  },
  {
    call: 'POST /v1.1/instances/my-news/snippets/templates/',
    as: 'owner',
    body: { name: 'hi', content: 'Hi {{ who }}', content_type: 'text/plain' },
    status: 201,
  },
  {
    call: 'PATCH /v1.1/instances/my-news/snippets/templates/objects_csv/',
    as: 'owner',
    body: { context: { fields_to_skip: ['links'], delimiter: ';', newline: '.' } },
    status: 200,
  },
  {
    call: 'POST /v1.1/instances/my-news/snippets/templates/hi/render/',
    as: 'app',
    body: { context: { who: 'Ann' } },
    status: 200,
    answer: 'Hi Ann',
  },
  {
    call: 'GET /v1.1/instances/my-news/endpoints/data/all/get/',
    as: 'app',
    query: 'order_by=title&fields=id,title&template_response=objects_csv',
    status: 200,
    answer: 'id;title."4";"Jeż"."1";"Żółw".',
  },
  {
    call: 'POST /v1.1/instances/my-news/snippets/templates/hi/rename/',
    as: 'owner',
    body: { new_name: 'hello' },
    status: 200,
  },
  {
    call: 'GET /v1.1/instances/my-news/snippets/templates/',
    as: 'app',
    query: 'fields=name',
    status: 200,
    answer: {
      next: null,
      prev: null,
      objects: ['objects_html_table', 'objects_csv', 'hello'].map((name) => ({ name })),
    },
  },
  { call: 'DELETE /v1.1/instances/my-news/snippets/templates/hello/', as: 'owner', status: 204 },
  {
    call: 'POST /v1.1/instances/my-news/endpoints/data/all/rename/',
    as: 'owner',
    body: { new_name: 'every' },
    status: 200,
  },
  { call: 'GET /v1.1/instances/my-news/endpoints/data/', as: 'app', status: 200 },
  { call: 'DELETE /v1.1/instances/my-news/endpoints/data/every/', as: 'owner', status: 204 },
  {
    call: 'POST /v1.1/instances/my-news/batch/',
    as: 'owner',
    body: {
      requests: [
        ...['a', 'b'].map((slug) => ({
          method: 'POST',
          path: '/v1.1/instances/my-news/classes/post/objects/',
          body: { slug },
        })),
        { method: 'DELETE', path: '/v1.1/instances/my-news/classes/post/objects/1/' },
        { method: 'GET', path: '/v1.1/instances/my-news/api_keys/?fields=id' },
      ],
    },
    status: 200,
    answer: [
      { code: 201, content: expect.objectContaining({ id: 5, slug: 'a' }) },
      { code: 201, content: expect.objectContaining({ id: 6, slug: 'b' }) },
      { code: 204 },
      { code: 200, content: { next: null, prev: null, objects: [{ id: 1 }] } },
    ],
  },
  { call: 'DELETE /v1.1/instances/my-news/classes/post/objects/5/', as: 'app', status: 204 },
  { call: 'GET /v1.1/instances/my-news/classes/post/objects/1/', as: 'app', status: 404 },
  {
    call: 'POST /v1.1/instances/my-news/users/',
    as: 'app',
    body: { username: 'Ann', password: 'secret', profile: { other_permissions: 'read' } },
    status: 201,
    answer: expect.objectContaining({ id: 1, username: 'Ann', user_key: expect.any(String) }),
  },
  {
    call: 'PATCH /v1.1/instances/my-news/users/1/',
    as: 'app',
    body: { username: 'Anna', profile: { other_permissions: 'none' } },
    status: 200,
  },
  { call: 'POST /v1.1/instances/my-news/groups/', as: 'owner', body: { name: 'g' }, status: 201 },
  {
    call: 'POST /v1.1/instances/my-news/groups/1/users/',
    as: 'owner',
    body: { user: 1 },
    status: 201,
  },
  {
    call: 'GET /v1.1/instances/my-news/groups/1/users/',
    as: 'owner',
    status: 200,
    answer: expect.objectContaining({
      objects: [{ user: expect.objectContaining({ username: 'anna' }), links: expect.anything() }],
    }),
  },
  {
    call: 'POST /v1.1/instances/my-news/user/auth/',
    as: 'app',
    body: { username: 'anna', password: 'secret' },
    status: 200,
  },
  { call: 'GET /v1.1/instances/my-news/users/', as: 'app', status: 200 },
  {
    call: 'GET /v1.1/instances/my-news/export/',
    as: 'owner',
    query: 'kind=users',
    status: 200,
    answer: expect.objectContaining({
      objects: [expect.objectContaining({ username: 'anna', groups: [1] })],
    }),
  },
  {
    call: 'POST /v1.1/instances/my-news/import/',
    as: 'owner',
    body: { kind: 'groups', records: [{ id: 7, name: 'imported', label: '', description: '' }] },
    status: 200,
    answer: { created: 1, unchanged: 0, first: null },
  },
  {
    call: 'POST /v1.1/instances/my-news/backups/full/',
    as: 'owner',
    body: { label: 'nightly' },
    status: 201,
    answer: expect.objectContaining({ label: 'nightly', status: 'scheduled' }),
  },
  {
    call: 'GET /v1.1/backups/full/',
    as: 'owner',
    status: 200,
    answer: expect.objectContaining({
      objects: [expect.objectContaining({ instance: 'my-news' })],
    }),
  },
  {
    call: 'GET /v1.1/instances/my-news/classes/user_profile/migration/',
    as: 'owner',
    status: 200,
    answer: expect.objectContaining({ status: 'ready' }),
  },
  {
    call: 'GET /v1.1/instances/my-news/limits/',
    as: 'owner',
    status: 200,
    answer: expect.objectContaining({ triggers: expect.objectContaining({ limit: 100 }) }),
  },
  {
    call: 'GET /v1.1/instances/my-news/request_log/',
    as: 'owner',
    query: 'page_size=0',
    status: 200,
    answer: { next: null, prev: null, objects: [] },
  },
  {
    call: 'GET /v1.1/instances/my-news/dead_letters/',
    as: 'owner',
    status: 200,
    answer: { next: null, prev: null, objects: [] },
  },
  {
    call: 'PUT /v1.1/instances/my-news/user_settings/',
    as: 'owner',
    body: {
      guests: true,
      redirects: ['https://app.example.com/'],
      providers: [{ name: 'github', kind: 'github', client_id: 'app', secret: 'secret' }],
    },
    status: 200,
    answer: expect.objectContaining({
      providers: [expect.objectContaining({ name: 'github', has_secret: true })],
    }),
  },
  { call: 'POST /v1.1/instances/my-news/user/auth/guest/', as: 'app', body: {}, status: 201 },
  {
    call: 'GET /v1.1/instances/my-news/user/auth/github/start/',
    query: String(
      new URLSearchParams({
        key: '1',
        redirect: 'https://app.example.com/',
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
      }),
    ),
    status: 302,
  },
  {
    call: 'POST /v1.1/instances/my-news/channels/',
    as: 'owner',
    body: { name: 'news', custom_publish: true },
    status: 201,
  },
  {
    call: 'POST /v1.1/instances/my-news/channels/news/publish/',
    as: 'owner',
    body: { payload: { title: 'Little Women' } },
    status: 201,
  },
  {
    call: 'GET /v1.1/instances/my-news/channels/news/poll/',
    as: 'owner',
    query: 'last_id=0',
    status: 200,
    answer: expect.objectContaining({ id: 1, payload: { title: 'Little Women' } }),
  },
  ...[
    'push_notifications/gcm/config/',
    'snippets/scripts/',
    'endpoints/scripts/',
    'schedules/',
    'triggers/',
  ].map((path) => ({
    call: `GET /v1.1/instances/my-news/${path}`,
    as: 'owner' as const,
    status: 200,
  })),
  { call: 'DELETE /v1.1/instances/my-news/groups/1/', as: 'owner', status: 204 },
  { call: 'DELETE /v1.1/instances/my-news/users/1/', as: 'app', status: 204 },
  { call: 'DELETE /v1.1/instances/my-news/classes/post/', as: 'owner', status: 204 },
  {
    call: 'POST /v1.1/instances/my-news/api_keys/1/aliases/',
    as: 'owner',
    body: { alias: '0123456789abcdef'.repeat(3).slice(8) },
    status: 200,
  },
  {
    call: 'GET /v1.1/instances/my-news/api_keys/1/aliases/',
    as: 'owner',
    status: 200,
    answer: { aliases: ['cdef'] },
  },
  { call: 'DELETE /v1.1/instances/my-news/api_keys/1/aliases/', as: 'owner', status: 204 },
  { call: 'POST /v1.1/instances/my-news/api_keys/1/reset_key/', as: 'owner', status: 200 },
  { call: 'DELETE /v1.1/instances/my-news/api_keys/1/', as: 'owner', status: 204 },
  { call: 'DELETE /v1.1/instances/my-news/', as: 'owner', status: 204 },
  {
    call: 'GET /v1.1/schema/',
    status: 200,
    answer: expect.objectContaining({
      // the whole of it, whichever function responds
      resources: expect.arrayContaining([
        expect.objectContaining({ name: 'Data Object' }),
        expect.objectContaining({ name: 'Schema' }),
      ]),
    }),
  },
  {
    call: 'GET /v1/schema/',
    query: 'format=openapi',
    status: 200,
    answer: expect.objectContaining({ openapi: '3.1.0' }),
  },
  {
    call: 'GET /v1.1/usage/daily/',
    as: 'owner',
    status: 200,
    answer: { next: null, prev: null, objects: [] },
  },
  { call: 'GET /v1.1/nothing/', status: 404 },
];

/** Returns a body with the values that are known only at run time. */
export function fillBody(
  body: unknown,
  { code, scan = '' }: { readonly code: string; readonly scan?: string | undefined },
): unknown {
  if (body === undefined || body instanceof Uint8Array) return body;
  return JSON.parse(JSON.stringify(body).replace(theCode, code).replace(theScan, scan));
}
