import { mustBe, type SmokeWorld, type Step, until } from './world.ts';

const fileText = 'a file of the smoke test';

/** Steps about an account, an instance and its data, in order. */
export const dataSteps: readonly Step[] = [
  {
    name: 'account',
    isNeeded: true,
    run: async ({ send, account, keys }) => {
      const { email, password, code, isKnown } = account;
      if (!isKnown) {
        const body = { email, password, ...(code !== undefined && { invitation_key: code }) };
        await send({ path: '/v1.1/account/register/', body });
      }
      const { body } = await send({ path: '/v1.1/account/auth/', body: { email, password } });
      keys.account = body.account_key;
      return isKnown ? 'logged in' : 'registered, and logged in';
    },
  },
  {
    name: 'instance',
    isNeeded: true,
    run: async ({ send, name, instance, keys }) => {
      const key = keys.account;
      await send({ key, path: '/v1.1/instances/', body: { name, description: 'A smoke test' } });
      const body = { description: 'smoke', ignore_acl: true };
      keys.api = (await send({ key, path: `${instance}api_keys/`, body })).body.api_key;
      return name;
    },
  },
  {
    name: 'class',
    isNeeded: true,
    run: async (world) => {
      const schema = [
        { name: 'title', type: 'string', filter_index: true, order_index: true },
        { name: 'year', type: 'integer', filter_index: true },
        { name: 'scan', type: 'file' },
      ];
      const path = `${world.instance}classes/`;
      await world.send({ key: world.keys.account, path, body: { name: 'book', schema } });
      await until(world, { path: `${path}book/` }, ({ status }) => status === 'ready');
      return undefined;
    },
  },
  {
    name: 'file',
    run: async ({ send, instance, keys }) => {
      const form = new FormData();
      form.append('title', 'Scan');
      form.append('scan', new Blob([fileText], { type: 'text/plain' }), 'scan.txt');
      const path = `${instance}classes/book/objects/`;
      const { body } = await send({ key: keys.api, path, body: form });
      mustBe('the downloaded file', await download(send, body.scan.value), fileText);
      return undefined;
    },
  },
  {
    name: 'batch',
    run: async ({ send, instance, keys }) => {
      const path = `${instance}classes/book/objects/`;
      const requests = [1818, 1897, 1932].map((year) => ({
        method: 'POST',
        path,
        body: { title: `of ${year}`, year },
      }));
      const { body } = await send({ key: keys.api, path: `${instance}batch/`, body: { requests } });
      const codes = (body as { code: number }[]).map(({ code }) => code);
      mustBe('the list of codes', codes, [201, 201, 201]);
      return undefined;
    },
  },
  {
    name: 'filter',
    run: async (world) => {
      const query = encodeURIComponent(JSON.stringify({ year: { _gt: 1850 } }));
      const path = `${world.instance}classes/book/objects/?query=${query}&order_by=-title`;
      const found = await until<{ objects: { year: number }[] }>(
        world,
        { path, key: world.keys.api },
        ({ objects }) => objects.length === 2, // indexes on AWS follow within moments
      );
      mustBe(
        'the list of years',
        found.objects.map(({ year }) => year),
        [1932, 1897],
      );
      return undefined;
    },
  },
];

/** Downloads a file without a key: its address may be that of the CDN, and may redirect to the bucket. */
async function download(send: SmokeWorld['send'], address: string): Promise<unknown> {
  if (address.startsWith('/')) return (await send({ path: address })).body;
  const response = await fetch(address, { signal: AbortSignal.timeout(downloadMs) });
  return response.ok ? response.text() : `${response.status} of ${address}`;
}

const downloadMs = 30_000;
