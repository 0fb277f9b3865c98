import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { writeExactJson } from '../../shared/values/json/exact-number.ts';
import {
  downloadNameOf,
  extendedParameter,
  extendedValue,
} from '../../shared/values/text/file-name.ts';
import { openProject } from '../commands/groundwork.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { type ConsoleFiles, openConsoleFiles } from '../support/console-files.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  anyBody,
  anyText,
  bodyOf,
  cellOf,
  type Given,
  isShown,
  type KeptField,
  keptSchema,
  shownAs,
} from '../support/kept-values.ts';
import { isSoak } from '../support/sample.ts';

/*
 * A value that is accepted comes back equal, through every door. Any other is a 400 that names its field, and changes
 * nothing (docs/reference/requests.md#text, docs/reference/objects.md#values).
 */

const it = worldTest().extend('things', { scope: 'file' }, ({ world }) => setUp(world));

/** Bodies that a run by chance rarely has: numbers of a boolean that are not written as `1` or `0`. */
const examples: [Given][] = ['1.0', '-0', '0.0', '"1.0"', '1e2'].map((done) => [{ done }]);
const runs = { numRuns: isSoak ? 1500 : 60, examples };
const json = 'application/json';
const objects = '/v1.1/instances/blog-1/classes/thing/objects/';
const schema = [...keptSchema, { name: 'scan', type: 'file' }];
const columns = keptSchema.map((each) => ({
  ...each,
  isSystem: false,
  mayFilter: false,
  maySort: false,
}));
const mapping = Object.fromEntries(keptSchema.map(({ name }) => [name, name]));
const csvOptions = { mapping, columns, onUtcAssumed: () => undefined };

describe('a value that is accepted comes back equal', () => {
  it.for<[string, string]>([
    ['the interface', objects],
    ['a data endpoint', '/v1.1/instances/blog-1/endpoints/data/things/post/'],
  ])('from JSON, by %s', async ([_, path], { things }) => {
    await holds((given) => things.keeps(given, () => things.send(path, bodyOf(given))));
  });

  it('from JSON in a batch', async ({ world, things }) => {
    await holds((given) =>
      things.keeps(given, async () => {
        const item = `{"method":"POST","path":"${objects}","body":${bodyOf(given)}}`;
        const { text } = await things.send(`${world.base}batch/`, `{"requests":[${item}]}`);
        const [{ code, content }] = JSON.parse(text);
        return {
          status: code,
          text:
            code === 201 ? (await things.send(content.links.self)).text : JSON.stringify(content),
        };
      }),
    );
  });

  it('from a form', async ({ things }) => {
    const type = 'application/x-www-form-urlencoded';
    await holds((given) => {
      fc.pre(!isCut(given));
      const body = new URLSearchParams(Object.fromEntries(cellsOf(given)));
      return things.keeps(given, () => things.send(objects, String(body), type), true);
    });
  });

  it('from a multipart body', async ({ things }) => {
    const boundary = 'kept-values-boundary';
    await holds((given) => {
      fc.pre(!isCut(given));
      const parts = cellsOf(given).map(
        ([name, text]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
      );
      const body = Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
      return things.keeps(
        given,
        () => things.send(objects, body, `multipart/form-data; boundary=${boundary}`),
        true,
      );
    });
  });

  it('by a change, which otherwise changes nothing', async ({ things }) => {
    const { links } = JSON.parse((await things.send(objects, '{}')).text);
    await holds(async (given) => {
      const before = await things.send(links.self);
      const response = await things.send(links.self, bodyOf(given), json, 'PATCH');
      const after = await things.send(links.self);
      if (response.status !== 200) {
        expect([response.status, after.text]).toEqual([400, before.text]);
        return false;
      }
      for (const [name, token] of Object.entries(given) as [KeptField, string][]) {
        const shown = textsOf(after.text)[name] ?? '';
        expect(isShown(shownAs(name, token), shown), `${name}: ${token} is ${shown}`).toBe(true);
      }
      return true;
    });
  });
});

describe("the console's reader", () => {
  it('keeps the lines of a JSON file', async ({ things }) => {
    await holds((given) =>
      things.keeps(given, async () => {
        const values = await only(things.files.readLines(inPieces(`${bodyOf(given)}\r\n`)));
        if (values !== undefined) return things.send(objects, writeExactJson(values));
        expect(bodyOf(given)).toMatch(/1e400/i); // the only number here that no double can be
        return undefined;
      }),
    );
  });

  it.for([',', ';', '\t'])(
    'keeps the cells of a CSV file, separated by %j',
    async (separator, { things }) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
      await holds((given) => {
        const cells = cellsOf(given);
        fc.pre(!isCut(given) && cells.every(([, text]) => text !== '')); // an empty cell is no value
        const names = cells.map(([name]) => name).join(separator);
        const row = cells.map(([, text]) => quote(text)).join(separator);
        const post = async () => {
          const values = await only(
            things.files.readCsv(inPieces(`${names}\r\n${row}\r\n`), csvOptions),
          );
          return things.send(objects, writeExactJson(values));
        };
        return things.keeps(given, post, true);
      });
    },
  );

  it.for(['csv', 'jsonl'] as const)(
    'reads what the console has written as %s',
    async (format, { things }) => {
      await holds(async (given) => {
        const made = await things.send(objects, bodyOf(given));
        if (made.status !== 201) return false;
        const wanted = keptTexts(made.text, format === 'csv');
        const again = await things.send(
          objects,
          writeExactJson(await throughFile(things.files, format, made.text)),
        );
        expect(again.status, again.text).toBe(201);
        expect(keptTexts(again.text)).toEqual(wanted);
        return true;
      });
    },
  );
});

const boundary = 'kept-files-boundary';

it('files come back with their bytes, their type and the name without what no name has', async ({
  things,
}) => {
  const type = fc.constantFrom('text/plain; charset=utf-16le', 'image/png', 'text/html');
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      anyText,
      type,
      async (bytes, name, said) => {
        const filename = `${name}.dat`;
        const head = `Content-Disposition: form-data; name="scan"; filename*=${extendedValue(filename)}`;
        const body = Buffer.concat([
          Buffer.from(`--${boundary}\r\n${head}\r\nContent-Type: ${said}\r\n\r\n`),
          bytes,
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]);
        const made = await things.send(objects, body, `multipart/form-data; boundary=${boundary}`);
        if (bytes.length === 0) {
          expect(made).toEqual({ status: 400, text: '{"scan":["The submitted file is empty."]}' });
          return;
        }
        expect(made.status, made.text).toBe(201);
        const file = await fetch(JSON.parse(made.text).scan.value);
        const disposition = file.headers.get('content-disposition') ?? '';
        expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
        expect(file.headers.get('content-type')).toBe(said);
        expect(extendedParameter(disposition, 'filename')).toBe(downloadNameOf(filename));
      },
    ),
    { numRuns: isSoak ? 1000 : 40 },
  );
});

it('an export and its import keep every object', async ({ api, world, things }) => {
  const { folder, run } = openProject();
  const copy = await openWorld(api, 'copies');
  const of = ({ instance, owner }: World) =>
    ['--url', api.url, '--instance', instance, '--key', owner] as const;
  const fill = fc.sample(anyBody, isSoak ? 3000 : 300);
  for (const given of fill) await things.send(objects, bodyOf(given));

  const ended = [
    await run('export', 'data', ...of(world)),
    await run('import', 'data', '--no-project', ...of(copy)),
  ];

  expect(ended).toMatchObject([{ status: 0 }, { status: 0 }]);
  expect(readFileSync(`${folder}/data/objects/thing.jsonl`, 'utf8').length).toBeGreaterThan(1000);
  const [before, after] = [await contents(world), await contents(copy)];
  expect(before.length).toBeGreaterThan(fill.length / 3);
  expect(after).toEqual(before);
});

async function setUp(world: World) {
  const { api, owner } = world;
  await world.dataClass('thing', schema);
  await world.own('POST', 'endpoints/data/', { name: 'things', class: 'thing' });

  /** Sends a body as it is, and returns the response as it is: no JSON is parsed on the way. */
  async function send(
    path: string,
    body?: string | Buffer,
    type = json,
    method = 'POST',
  ): Promise<Answer> {
    const headers = { 'X-API-KEY': owner, 'Content-Type': type };
    const init = body === undefined ? { headers } : { method, headers, body };
    const response = await fetch(api.url + path, init);
    return { status: response.status, text: await response.text() };
  }

  const newest = async () => (await send(`${objects}?order_by=-id&page_size=1`)).text;

  /** Sends a new object through a door, unless its reader refuses it; those that are accepted come back equal, and others change nothing. */
  async function keeps(
    given: Given,
    post: () => Promise<Answer | undefined>,
    isCell = false,
  ): Promise<boolean> {
    const before = await newest();
    const response = await post();
    if (response === undefined) return false; // the reader has refused it
    if (response.status !== 201) {
      expect(response.status, response.text).toBe(400);
      const named = Object.keys(JSON.parse(response.text));
      expect(named.length, response.text).toBeGreaterThan(0);
      expect(Object.keys(given), response.text).toEqual(expect.arrayContaining(named));
      expect(await newest()).toBe(before);
      return false;
    }
    const { links } = JSON.parse(response.text);
    const read = await send(links.self);
    expect(read.text).toBe(response.text);
    for (const [name, token] of Object.entries(given) as [KeptField, string][]) {
      const shown = textsOf(read.text)[name] ?? '';
      const wanted = shownAs(name, token, isCell);
      expect(isShown(wanted, shown), `${name}: ${token} is ${shown}, not ${wanted}`).toBe(true);
    }
    return true;
  }

  return { ...world, files: await openConsoleFiles(api.url), send, keeps };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Returns the members of a JSON object as their texts. */
function textsOf(text: string): Readonly<Record<string, string>> {
  const members = Object.entries(JSON.parse(text) as object);
  return Object.fromEntries(members.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Tries a door with many bodies, some of which it must accept. */
async function holds(door: (given: Given) => Promise<boolean>): Promise<void> {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anyBody, async (given) => {
      if (await door(given)) accepted += 1;
    }),
    runs,
  );
  expect(accepted).toBeGreaterThan(runs.numRuns / 5);
}

/** What a form has for each field. */
const cellsOf = (given: Given) =>
  Object.entries(given).map(([name, token]) => [name, cellOf(token)] as const);
const isCut = (given: Given) => Object.values(given).some((token) => !cellOf(token).isWellFormed());

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

async function only(rows: ReturnType<ConsoleFiles['readLines']>): Promise<object | undefined> {
  const all: unknown[] = [];
  for await (const row of rows) all.push(row);
  const [first] = all as readonly { readonly values?: object }[];
  expect(all).toEqual([
    {
      line: expect.any(Number),
      ...(first?.values ? { values: expect.any(Object) } : { problem: expect.any(String) }),
    },
  ]);
  return first?.values;
}

/** Writes an object into a file of the console, and reads it again. */
async function throughFile(files: ConsoleFiles, format: 'csv' | 'jsonl', text: string) {
  const head = files.headOf(format, columns, false);
  const line = files.objectLine(format, { object: JSON.parse(text), columns, isForSheets: false });
  const parts = inPieces(head + line);
  if (format === 'jsonl') return only(files.readLines(parts));
  const isRow = /[^,\r\n]/.test(line); // a row of separators is none
  return isRow ? only(files.readCsv(parts, csvOptions)) : {};
}

/** Returns the fields of an object as texts; in a CSV file an empty text is none. */
function keptTexts(text: string, isCsv = false): readonly (string | undefined)[] {
  const texts = textsOf(text);
  const shown = keptSchema.map(({ name }) => texts[name]);
  return isCsv ? shown.map((each) => (each === '""' ? 'null' : each)) : shown;
}

/** Returns the objects of an instance as JSON, with the bytes and the headers of their files. */
async function contents(from: World): Promise<readonly string[]> {
  const all: string[] = [];
  let path: string | null = `${from.base}classes/thing/objects/?page_size=500`;
  while (path !== null) {
    const page: { next: string | null; objects: { scan: unknown }[] } = expected(
      await from.api.send({ as: from.owner, path }),
      200,
    );
    for (const { scan, ...object } of page.objects) {
      const file = scan === null ? '' : await fileOf(scan as { readonly value: string });
      all.push(JSON.stringify({ ...object, links: 0 }) + file);
    }
    path = page.next;
  }
  return all;
}

async function fileOf({ value }: { readonly value: string }): Promise<string> {
  const file = await fetch(value);
  const head = ['content-type', 'content-disposition'].map((name) => file.headers.get(name));
  return `${head} ${Buffer.from(await file.arrayBuffer()).toString('hex')}`;
}
