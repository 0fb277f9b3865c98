import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Ids, PushSender } from '../../../ports/ports.ts';
import { PushFailure } from '../../../push/push-failure.ts';
import { isToken } from '../../../push/rules/device-ids.ts';
import { applicationName, readPushName } from './push-names.ts';

/** A push service that sends nothing and records each push in a file. */
export interface Outbox extends PushSender {
  /** The folder of the outbox: one file per day, one line of JSON per push. */
  readonly outbox: string;
  close(): void;
}

/** Folder of an outbox, and its sources of ids and dates. */
export interface OutboxOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Opens the outbox of one machine. Two kinds of tokens simulate errors for tests of apps: one that begins with
 * `invalid` belongs to a device from which the app was removed; for one that begins with `throttle`, the service is too
 * busy.
 */
export function openOutbox({ folder, clock, ids }: OutboxOptions): Outbox {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    mode: 'outbox',
    outbox: folder,
    close: () => {},
    openApplication: (scope) => Promise.resolve(applicationName(scope)),
    closeApplication: () => Promise.resolve(),
    createEndpoint: async (application, { token }) => {
      const { scope } = readPushName(application);
      if (!isToken(scope.provider, token) && !isActor(token))
        throw new PushFailure('badToken', 'outbox');
      return `${application}/${token}`;
    },
    setEndpoint: () => Promise.resolve(),
    removeEndpoint: () => Promise.resolve(),
    publish: async (endpoint, { platform, payload, attributes }) => {
      const { scope, token: registration_id } = readPushName(endpoint);
      if (registration_id.startsWith('invalid')) throw new PushFailure('disabled', 'outbox');
      if (registration_id.startsWith('throttle')) throw new PushFailure('busy', 'outbox');
      const sent_at = new Date(clock.micros() / 1000).toISOString();
      const id = `outbox:${ids.random()}`;
      const push = { registration_id, platform, payload: JSON.parse(payload), attributes };
      const line = { id, sent_at, ...scope, ...push };
      const file = join(folder, `${sent_at.slice(0, 10)}.jsonl`);
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      return id;
    },
  };
}

/** Opens an outbox that is deleted when the process ends. */
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
