import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Secrets, SecretVersion } from '../services/ports.ts';

const refetchAfterMs = 60_000;

const version = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255));
const hexSecret = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const versionsSchema = v.pipe(
  v.object({
    current: version,
    versions: v.array(v.object({ version, secret: hexSecret })),
  }),
  v.check(({ current, versions }) => versions.some((one) => one.version === current)),
);

interface Versions {
  readonly current: SecretVersion;
  readonly all: ReadonlyMap<number, SecretVersion>;
}

/** Where the master secrets are. */
export interface SecretsOptions {
  readonly client: SecretsManagerClient;
  /** ARN of the secret. */
  readonly secret: string;
  readonly nowMs: () => number;
}

/**
 * Opens the master secrets of a deployment, fetched once when they are first asked for. The secret holds either 64
 * lower-case hex digits, as the stack has made them, which are version 1; or, once there has been a rotation,
 * `{"current": 2, "versions": [{"version": 1, "secret": "<64 hex digits>"}, ...]}`. A version that is not known is
 * looked for again, at most once a minute: an operator may add one while functions run.
 */
export function openSecrets({ client, secret, nowMs }: SecretsOptions): Secrets {
  let known: Promise<Versions> | undefined;
  let newest: Promise<Versions> | undefined; // what is known, or is just being fetched
  let fetchedAt = 0;
  const fetch = (): Promise<Versions> => {
    fetchedAt = nowMs();
    const fetching = fetchVersions(client, secret);
    newest = fetching;
    fetching.then(
      () => {
        known = fetching;
      },
      () => {
        newest = known; // what was known stays, and when that is nothing, the next caller tries again
      },
    );
    return fetching;
  };
  return {
    current: async () => (await (known ?? newest ?? fetch())).current,
    get: async (wanted) => {
      const found = (await (known ?? newest ?? fetch())).all.get(wanted);
      if (found !== undefined) return found;
      const isOld = nowMs() - fetchedAt >= refetchAfterMs;
      return (await (isOld ? fetch() : (newest ?? fetch()))).all.get(wanted);
    },
  };
}

/** Opens the master secrets of a deployment from anywhere, with the credentials that the SDK finds there. */
export function openDeployedSecrets(arn: string): Secrets {
  const region = arn.split(':')[3];
  const client = new SecretsManagerClient(region === undefined ? {} : { region });
  return openSecrets({ client, secret: arn, nowMs: Date.now });
}

async function fetchVersions(client: SecretsManagerClient, secret: string): Promise<Versions> {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  const parsed = v.safeParse(versionsSchema, readText(SecretString ?? ''));
  // Neither the text nor the complaint may be shown: both can hold a secret.
  if (!parsed.success) throw new Error('the secret is damaged: restore it, all keys depend on it');
  return toVersions(parsed.output);
}

function readText(text: string): unknown {
  if (v.is(hexSecret, text)) return { current: 1, versions: [{ version: 1, secret: text }] };
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toVersions({ current, versions }: v.InferOutput<typeof versionsSchema>): Versions {
  const all = new Map(
    versions.map((one) => [
      one.version,
      { version: one.version, secret: Buffer.from(one.secret, 'hex') },
    ]),
  );
  const newest = all.get(current);
  if (newest === undefined) throw new Error('the secrets have no current version');
  return { current: newest, all };
}
