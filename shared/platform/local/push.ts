import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PushFailure } from '../../push/push-failure.ts';
import { isToken } from '../../push/rules/device-ids.ts';
import type { PushEnvironment, PushProvider } from '../../push/rules/provider.ts';
import type { Clock, Ids, PushSender } from '../ports.ts';

/** A push service that sends nothing, and writes down what would have been sent. */
export interface Outbox extends PushSender {
  /** The folder of the outbox: a file a day, a line of JSON a push. */
  readonly outbox: string;
  close(): void;
}

/** Where an outbox is, and what it takes ids and days from. */
export interface OutboxOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Opens the outbox of one machine. Tokens play parts, so that apps can be tested: one that begins with `invalid` is
 * that of a device from which the app was removed, one with `throttle` finds the service too busy.
 */
export function openOutbox({ folder, clock, ids }: OutboxOptions): Outbox {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    outbox: folder,
    close: () => {},
    openApplication: ({ instance, provider, environment }) =>
      Promise.resolve(`${instance}/${provider}/${environment}`),
    closeApplication: () => Promise.resolve(),
    createEndpoint: async (application, { token }) => {
      const [, provider] = readPlace(application);
      if (!isToken(provider, token) && !isActor(token)) throw new PushFailure('badToken', 'outbox');
      return `${application}/${token}`;
    },
    setEndpoint: () => Promise.resolve(),
    removeEndpoint: () => Promise.resolve(),
    publish: async (endpoint, { platform, payload, attributes }) => {
      const [instance, provider, environment, registration_id] = readPlace(endpoint);
      if (registration_id.startsWith('invalid')) throw new PushFailure('disabled', 'outbox');
      if (registration_id.startsWith('throttle')) throw new PushFailure('busy', 'outbox');
      const sent_at = new Date(clock.micros() / 1000).toISOString();
      const id = `outbox:${ids.random()}`;
      const place = { id, sent_at, instance: Number(instance), provider, environment };
      const line = {
        ...place,
        registration_id,
        platform,
        payload: JSON.parse(payload),
        attributes,
      };
      const file = join(folder, `${sent_at.slice(0, 10)}.jsonl`);
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      return id;
    },
  };
}

/** Opens an outbox that is gone with the process. */
export function openTemporaryOutbox(options: Omit<OutboxOptions, 'folder'>): Outbox {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-outbox-'));
  const removeAll = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeAll);
  return {
    ...openOutbox({ ...options, folder }),
    close: () => {
      process.off('exit', removeAll);
      removeAll();
    },
  };
}

function isActor(token: string): boolean {
  return token.startsWith('invalid') || token.startsWith('throttle');
}

/** Parts of a name that this module gave; a token has no slash. */
function readPlace(name: string): readonly [string, PushProvider, PushEnvironment, string] {
  const [instance = '', provider = '', environment = '', token = ''] = name.split('/');
  return [instance, provider as PushProvider, environment as PushEnvironment, token]; // so it was made
}
