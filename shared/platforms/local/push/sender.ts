import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Log, PushSender, Vault } from '../../../ports/ports.ts';
import { PushFailure } from '../../../push/push-failure.ts';
import { isToken } from '../../../push/rules/device-ids.ts';
import type { ProviderPush } from '../../../push/rules/payload.ts';
import type { PushScope } from '../../../push/rules/provider.ts';
import type { Store } from '../../../store/store.ts';
import { pushConfigEntity } from '../../../table/entities/push.ts';
import { ownerOfData } from '../../../values/keys/data-ids.ts';
import { openAccount, type PushAddresses } from './account.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { openAdmission } from './admission.ts';
import { type PushBounds, pushBounds } from './bounds.ts';
import { applicationName, readPushName } from './push-names.ts';

/** Outcome of a push to one device. A push that is tried again later has none yet. */
export type PushResult = 'sent' | 'failed' | 'unknown' | 'unregistered';

/** Push services by the names of metrics. */
export type PushServiceName = 'fcm' | 'apns';

/** What pushes are sent with. */
export interface LocalSenderOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly log: Log;
  readonly clock: Clock;
  readonly addresses: PushAddresses;
  /** Called with each outcome, for metrics. */
  readonly onResult?: ((result: PushResult, service: PushServiceName) => void) | undefined;
  /** For tests: lower bounds, and an authority to trust. */
  readonly bounds?: Partial<PushBounds> | undefined;
  readonly ca?: string | undefined;
}

/** Sends pushes to Google and Apple. */
export interface LocalSender extends PushSender {
  /** Closes all connections: pushes without response have an unknown outcome. */
  close(): void;
}

const maxTries = 3; // of a busy push service, before the message waits
const shortMs = 2000;
const pauseMs = 250;

/**
 * Opens a sender to Google and Apple. An application is the place of a credential, whose stored form is read with each
 * push: a credential that was changed or deleted is no longer used. Connects with the first push.
 */
export function openPushSender(options: LocalSenderOptions): LocalSender {
  const { clock, vault, log, addresses, ca } = options;
  const bounds = { ...pushBounds, ...options.bounds };
  const accountOptions = { addresses, clock, bounds, ca };
  const accounts = openAccounts({ ...accountOptions, vault, log });
  const admission = openAdmission(bounds);
  return {
    mode: 'send',
    openApplication: async (scope, credential) => {
      openAccount(scope, credential, accountOptions).close(); // connects to nothing
      return applicationName(scope);
    },
    closeApplication: () => Promise.resolve(),
    createEndpoint: async (application, { token }) => {
      const { scope } = readPushName(application);
      if (!isToken(scope.provider, token)) throw new PushFailure('badToken', 'its form');
      return `${application}/${token}`;
    },
    setEndpoint: () => Promise.resolve(),
    removeEndpoint: () => Promise.resolve(),
    publish: async (endpoint, push) => {
      const { scope, token } = readPushName(endpoint);
      const release = admission.enter(ownerOfData(scope.instance));
      try {
        return await reporting(options, scope, () =>
          publish({ store: options.store, accounts, bounds }, scope, { token, push }),
        );
      } finally {
        release();
      }
    },
    close: () => accounts.close(),
  };
}

/** Reports the outcome of a push, unless it is tried again. */
async function reporting<T>(
  { onResult }: LocalSenderOptions,
  { provider }: PushScope,
  run: () => Promise<T>,
): Promise<T> {
  const report = (result: PushResult | undefined) => {
    if (result !== undefined) onResult?.(result, provider === 'gcm' ? 'fcm' : 'apns');
  };
  try {
    const id = await run();
    report('sent');
    return id;
  } catch (error) {
    report(resultOf(error));
    throw error;
  }
}

function resultOf(error: unknown): PushResult | undefined {
  if (!(error instanceof PushFailure)) return 'unknown';
  switch (error.reason) {
    case 'disabled':
    case 'badToken':
      return 'unregistered';
    case 'badCredential':
    case 'badPush':
    case 'otherApp':
      return 'failed';
    case 'unknown':
      return 'unknown';
    case 'missing':
    case 'busy':
    case 'unreachable':
    case 'denied':
      return undefined;
  }
}

interface Publishing {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly bounds: PushBounds;
}

async function publish(
  { store, accounts, bounds }: Publishing,
  scope: PushScope,
  { token, push }: { readonly token: string; readonly push: ProviderPush },
): Promise<string> {
  const { instance, provider, environment } = scope;
  const config = await pushConfigEntity.read(store, instance, provider);
  const { credential, bundle_identifier: topic } = config?.data[environment] ?? {};
  if (!credential) throw new PushFailure('missing', 'no credential');
  return accounts.use(scope, credential, (account) =>
    whileBusy(bounds, () => account.send(token, push, topic ?? '')),
  );
}

/** Repeats a push that the service was too busy for, a few times, if it does not ask for a long pause. */
async function whileBusy({ repeatMs }: PushBounds, send: () => Promise<string>): Promise<string> {
  const untilMs = performance.now() + repeatMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof PushFailure) || error.reason !== 'busy') throw error;
      const { afterMs = pauseMs * 2 ** (tries - 1) } = error;
      const isLate = performance.now() > untilMs;
      if (tries === maxTries || afterMs > shortMs || isLate) throw error;
      await pause(afterMs);
    }
  }
}
