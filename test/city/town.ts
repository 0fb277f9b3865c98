import type { MailServer } from '../support/mail-server.ts';
import type { PushService } from '../support/push-service.ts';
import {
  type Citizen,
  type Resident,
  type RuntimeName,
  type Size,
  sizes,
  type Tenant,
} from './citizen.ts';
import { type Client, createClient, type Gate } from './client.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

/** A resident and the schedule of its day. */
export interface Settled {
  readonly citizen: Citizen;
  readonly home: Tenant;
  readonly resident: Resident;
  readonly random: Random;
}

/** Parts of a town. */
export interface TownOptions {
  readonly requestQueue: Gate;
  readonly report: Report;
  readonly random: Random;
  readonly citizens: readonly Citizen[];
  readonly runtimes: readonly RuntimeName[];
  readonly pushes: PushService;
  readonly mails: MailServer;
}

/** Creates the tenants, some of which have several residents, and settles all residents at once. */
export async function settleTown(options: TownOptions): Promise<readonly Settled[]> {
  const tenants: Tenant[] = [];
  const found = async (name: string, size: Size) => {
    const tenant = await foundTenant(options, name, size);
    tenants.push(tenant);
    return tenant;
  };
  const shared = Object.fromEntries(
    await Promise.all(sizes.map(async (size) => [size, await found(size, size)] as const)),
  );
  const places = options.citizens.flatMap((citizen) =>
    citizen.homes.map((home, at) => ({ citizen, home, prefix: `${citizen.name}${at}` })),
  );
  return Promise.all(
    places.map(async ({ citizen, home, prefix }) => {
      const own = home === 'own' ? await found(prefix, 'small') : shared[home];
      if (own === undefined) throw new Error(`there is no tenant of size ${home}`);
      const random = options.random.fork(prefix);
      const client = clientOf(options, citizen, own);
      const others = () => tenants.filter((each) => each !== own);
      const { runtimes, pushes, mails } = options;
      const life = { random, client, home: own, prefix, runtimes, pushes, mails, others };
      return { citizen, home: own, random, resident: await citizen.settle(life) };
    }),
  );
}

function clientOf({ requestQueue, report }: TownOptions, citizen: Citizen, home: Tenant): Client {
  const { name, isHostile = false } = citizen;
  return createClient({
    requestQueue,
    report,
    citizen: name,
    isHostile,
    marks: new Set([home.mark]),
  });
}

/** Registers an account and creates an instance and an API key. Equal labels give equal names. */
export async function foundTenant(
  { requestQueue, report, random }: TownOptions,
  label: string,
  size: Size,
): Promise<Tenant> {
  const own = random.fork(`tenant ${label}`);
  const mark = `~m${own.word(8)}~`;
  const client = createClient({
    requestQueue,
    report,
    citizen: 'founder',
    isHostile: false,
    marks: new Set([mark]),
  });
  const name = `${label}-${own.word(8)}`;
  const person = { email: `${name}@example.com`, password: 'a password' };
  const account = await client.expect({ path: '/v1.1/account/register/', body: person }, 201);
  const key = account.body.account_key;
  await client.expect({ path: '/v1.1/instances/', key, body: { name, description: mark } }, 201);
  const base = `/v1.1/instances/${name}/`;
  const body = { description: mark, ignore_acl: true };
  const made = await client.expect({ path: `${base}api_keys/`, key, body }, 201);
  return { size, name, base, accountKey: key, apiKey: made.body.api_key, mark };
}

/**
 * Measures the first run of a script of a new account.
 *
 * @returns milliseconds
 */
export async function timeFirstRun(options: TownOptions, runtime: RuntimeName): Promise<number> {
  const tenant = await foundTenant(options, `first-${runtime}`, 'small');
  const { requestQueue, report } = options;
  const client = createClient({
    requestQueue,
    report,
    citizen: 'first run',
    isHostile: false,
    marks: new Set([tenant.mark]),
  });
  const as = { key: tenant.accountKey };
  const source = runtime === 'nodejs' ? 'console.log(1)' : 'print(1)';
  const script = { runtime_name: runtime, source };
  const scripts = `${tenant.base}snippets/scripts/`;
  const made = await client.expect({ ...as, path: scripts, body: script }, 201);
  const list = `${tenant.base}endpoints/scripts/`;
  const body = { name: 'first', script: made.body.id };
  await client.expect({ ...as, path: list, body }, 201);
  const call = { ...as, method: 'POST', path: `${list}first/run/`, kind: 'odd' } as const;
  const startedMs = performance.now();
  const response = await client.expect(call, 200);
  if (response.body.status !== 'success')
    client.fail(call, response, `it ended ${response.body.status}`);
  return performance.now() - startedMs;
}
