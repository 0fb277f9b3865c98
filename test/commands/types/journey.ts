/** A program that uses all of the client. It prints what it has seen. */
export const journey = `
import { type BookInput, createClient, type Error2, GroundworkError } from './library.ts';

const { URL: url = '', API_KEY: apiKey = '', ACCOUNT_KEY: accountKey = '' } = process.env;
const seen: Record<string, unknown> = {};
const owner = createClient({ url, instance: 'library', apiKey: accountKey });

const author = await owner.author.create({ name: 'Selma', other_permissions: 'read' });
const failure: Error2 = await owner.error.create({ text: 'of a class' });
seen.awkward = [failure.text, (await owner.run_class.list()).objects];
const input: BookInput = {
  title: 'Jerusalem',
  isbn: '1',
  summary: 'long',
  year: 1901,
  rating: 4.5,
  lent: false,
  published: new Date('1901-02-03T04:05:06Z'),
  cover: new File(['a picture'], 'cover.png', { type: 'image/png' }),
  author: author.id,
  tags: ['novel', 1, true],
  extra: { pages: [1] },
  shelf: { longitude: 1, latitude: 2 },
  other_permissions: 'read',
};
const book = await owner.book.create(input);
seen.created = {
  ...book,
  id: typeof book.id,
  author: book.author?.value === author.id && book.author.target,
  cover: book.cover && (await (await fetch(book.cover.value)).text()),
  created_at: typeof book.created_at,
  updated_at: typeof book.updated_at,
  links: Object.keys(book.links),
};

const changed = await owner.book.update(book.id, {
  year: { _increment: 1 },
  tags: { _addunique: ['novel', 'new'], _remove: 1 },
  sequels: [book.id],
  cover: await owner.book.upload(new Blob(['another'])),
  expected_revision: 1,
});
seen.changed = [changed.year, changed.tags, changed.sequels?.value[0] === book.id, changed.revision];

for (let year = 1941; year <= 1950; year += 1) {
  await owner.book.create({ title: 'Book ' + year, year, other_permissions: 'read' });
}
const reader = createClient({ url: url + '/', instance: 'library', apiKey });
const page = await reader.book.list({
  where: { year: { _gt: 1943 }, author: { _exists: false } },
  orderBy: '-year',
  pageSize: 3,
  fields: ['year', 'title'],
  count: true,
});
seen.page = [page.count, page.objects, (await page.next?.())?.objects.map(({ year }) => year)];
seen.nested = (await reader.book.list({ where: { author: { _is: { name: { _eq: 'Selma' } } } } })).objects.length;
seen.lastPage = (await reader.book.list({ pageSize: 100 })).next === undefined;

const years: unknown[] = [];
for await (const { year } of reader.book.all({ orderBy: 'year', pageSize: 4 })) years.push(year);
seen.years = years;

const long = Array.from({ length: 100 }, (_, n) => 'Book ' + 'x'.repeat(60) + n);
const titles: unknown[] = [];
const where = { title: { _nin: long } };
for await (const { title } of reader.book.all({ where, pageSize: 5 })) titles.push(title);
seen.long = titles.length;

const listed = await reader.endpoints['new-books'].list({ orderBy: 'year', pageSize: 1 });
const expanded = listed.objects[0]?.author;
seen.endpoint = [
  expanded && 'name' in expanded && expanded.name,
  (await owner.endpoints['new-books'].create({ title: 'By endpoint' })).title,
];

seen.run = [
  await owner.run<{ hello: string }>('greet', { who: 'Ada' }),
  (await reader.run('fail')).status,
];

await owner.request('users/', { method: 'POST', body: { username: 'ada', password: 'secret' } });
const user = await reader.login({ username: 'Ada', password: 'secret' });
const own = await reader.book.create({ title: 'Mine' });
seen.login = [user.username, typeof user.user_key, own.owner === user.id, user.profile.owner === user.id];
const again = createClient({ url, instance: 'library', apiKey, userKey: user.user_key });
seen.again = (await again.user_profile.get(user.profile.id)).id === user.profile.id;
await again.book.delete(own.id);
reader.logout();

const stop = new AbortController();
await owner.publish('news', { n: 1 });
const messages = reader.subscribe('news', { lastId: 0, signal: stop.signal });
const received: unknown[] = [];
reader.logout();
await reader.login({ username: 'ada', password: 'secret' });
for await (const { payload, action } of messages) {
  received.push([action, payload]);
  if (received.length === 3) break;
  await owner.publish('news', { n: received.length + 1 });
}
seen.received = received;

const fresh = owner.subscribe('default', { room: 'lobby', signal: stop.signal });
const first = fresh.next();
setTimeout(() => stop.abort(), 300);
seen.aborted = await first;

const problem = await reader.book.get(999_999).catch((error: unknown) => error);
const invalid = await owner.book.create({ isbn: '1', title: 'x'.repeat(200) }).catch((error: unknown) => error);
seen.errors = [problem, invalid].map((error) => {
  if (!(error instanceof GroundworkError)) return String(error);
  const { name, message, status, code, body } = error;
  return { name, message, status, code, body };
});
seen.rejected = await createClient({ url: 'http://127.0.0.1:9', instance: 'x', apiKey }).book
  .list()
  .catch((error: unknown) => error instanceof TypeError);
console.log(JSON.stringify(seen));
`;

/** What the program prints. */
export const seen = {
  awkward: ['of a class', []],
  created: {
    id: 'number',
    created_at: 'string',
    updated_at: 'string',
    revision: 1,
    owner: null,
    owner_permissions: 'full',
    group: null,
    group_permissions: 'none',
    other_permissions: 'read',
    channel: null,
    channel_room: null,
    title: 'Jerusalem',
    isbn: '1',
    summary: 'long',
    year: 1901,
    rating: 4.5,
    pages: null,
    lent: false,
    published: { type: 'datetime', value: '1901-02-03T04:05:06.000000Z' },
    cover: 'a picture',
    author: 'Author',
    reader: null,
    sequels: null,
    tags: ['novel', 1, true],
    extra: { pages: [1] },
    shelf: { type: 'geopoint', longitude: 1, latitude: 2 },
    links: ['self'],
  },
  changed: [1902, ['novel', true, 'new'], true, 2],
  page: [
    7,
    [
      { year: 1950, title: 'Book 1950' },
      { year: 1949, title: 'Book 1949' },
      { year: 1948, title: 'Book 1948' },
    ],
    [1947, 1946, 1945],
  ],
  nested: 1,
  lastPage: true,
  years: [1902, 1941, 1942, 1943, 1944, 1945, 1946, 1947, 1948, 1949, 1950],
  long: 11,
  endpoint: ['Selma', 'By endpoint'],
  run: [{ hello: 'Ada' }, 'failure'],
  login: ['ada', 'string', true, true],
  again: true,
  received: [
    ['custom', { n: 1 }],
    ['custom', { n: 2 }],
    ['custom', { n: 3 }],
  ],
  aborted: { done: true },
  errors: [
    {
      name: 'GroundworkError',
      message: 'GET /v1.1/instances/library/classes/book/objects/999999/: 404 Not found.',
      status: 404,
      code: 'not_found',
      body: { detail: 'Not found.' },
    },
    {
      name: 'GroundworkError',
      message:
        'POST /v1.1/instances/library/classes/book/objects/: 400 title: Ensure this field has no more than 128 characters.',
      status: 400,
      code: 'invalid_input',
      body: { title: ['Ensure this field has no more than 128 characters.'] },
    },
  ],
  rejected: true,
};
