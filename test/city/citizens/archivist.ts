import type { Citizen, Life } from '../citizen.ts';
import type { Call } from '../client.ts';

interface Scan {
  readonly id: number;
  readonly content: Buffer;
}

interface Archive {
  readonly path: string;
  /** Files by object. Undefined after an interrupted replacement, when either content is right. */
  readonly scans: Map<number, Scan | undefined>;
}

const boundary = 'city-boundary';

/** Uploads files, reads, replaces and deletes them. */
export const archivist: Citizen = {
  name: 'archivist',
  homes: ['small', 'large'],
  settle: async (life) => {
    const { client, home, prefix, random } = life;
    const name = `${prefix}_scans`;
    const schema = [
      { name: 'title', type: 'string' },
      { name: 'scan', type: 'file' },
    ];
    const body = { name, schema };
    await client.expect({ path: `${home.base}classes/`, key: home.accountKey, body }, 201);
    const archive: Archive = { path: `${home.base}classes/${name}/objects/`, scans: new Map() };
    const any = () => random.pick([...archive.scans.keys()]);
    const acts = [
      () => upload(life, archive),
      () => read(life, archive, any()),
      () => replace(life, archive, any()),
      () => remove(life, archive, any()),
    ];
    const verify = async () => {
      for (const id of archive.scans.keys()) await read(life, archive, id);
    };
    return {
      act: () => (archive.scans.size < 4 ? upload(life, archive) : random.pick(acts)()),
      verify,
      arrive: verify,
    };
  },
};

/** Returns a file, mostly a small one, sometimes one of a megabyte. */
function content({ random }: Life): Buffer {
  const block = random.bytes(random.integer(1, 4_000));
  return random.chance(0.1) ? Buffer.alloc(1_000_000, block) : block;
}

function form({ home }: Life, bytes: Buffer) {
  const part = (head: string, value: string | Buffer) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ];
  const parts = [
    ...part('name="title"', `scan ${home.mark}`),
    ...part('name="scan"; filename="scan.bin"', bytes),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

async function upload(life: Life, { path, scans }: Archive): Promise<void> {
  const bytes = content(life);
  const as = { key: life.home.apiKey, kind: 'bulk' } as const;
  const call: Call = { ...as, path, raw: form(life, bytes) };
  const { body } = await life.client.expect(call, 201);
  scans.set(body.id, { id: body.id, content: bytes });
  await compare(life, body.scan.value, bytes);
}

async function read(life: Life, archive: Archive, id: number): Promise<void> {
  const call = { path: `${archive.path}${id}/`, key: life.home.apiKey };
  const { body } = await life.client.expect(call, 200);
  const scan = archive.scans.get(id);
  if (scan !== undefined) await compare(life, body.scan.value, scan.content);
  else await life.client.expect({ path: body.scan.value }, 200);
}

async function replace(life: Life, { path, scans }: Archive, id: number): Promise<void> {
  const bytes = content(life);
  const as = { key: life.home.apiKey, kind: 'bulk' } as const;
  const call: Call = { ...as, method: 'PATCH', path: `${path}${id}/`, raw: form(life, bytes) };
  scans.set(id, undefined);
  const { body } = await life.client.expect(call, 200);
  scans.set(id, { id, content: bytes });
  await compare(life, body.scan.value, bytes);
}

async function remove(life: Life, { path, scans }: Archive, id: number): Promise<void> {
  const as = { path: `${path}${id}/`, key: life.home.apiKey };
  scans.delete(id);
  await life.client.expect({ ...as, method: 'DELETE' }, 204);
  await life.client.expect(as, 404);
}

async function compare({ client }: Life, address: string, expected: Buffer): Promise<void> {
  const call = { path: address };
  const response = await client.expect(call, 200);
  if (!response.bytes.equals(expected))
    client.fail(
      call,
      response,
      `${response.bytes.length} bytes, stored were ${expected.length} others`,
    );
}
