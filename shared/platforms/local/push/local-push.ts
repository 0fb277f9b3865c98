import { openDerivedVault } from '../../../ports/derived-vault.ts';
import type { Clock, Ids, Log, PushMode, PushSender, Secrets } from '../../../ports/ports.ts';
import type { Store } from '../../../store/store.ts';
import type { PushAddresses } from './account.ts';
import { openOutbox, openTemporaryOutbox } from './outbox.ts';
import { type LocalSenderOptions, openPushSender } from './sender.ts';

/** Settings of pushes. */
export interface PushSettings extends Pick<LocalSenderOptions, 'onResult' | 'bounds' | 'ca'> {
  /** Undefined: as the data folder remembers; a new one sends, memory does not. */
  readonly mode?: PushMode | undefined;
  readonly addresses: PushAddresses;
}

/** The push sender of one machine. */
export interface LocalPush extends PushSender {
  /** The folder of the outbox: one file per day, one line of JSON per push. */
  readonly outbox: string;
  /** Closes all connections: pushes without response have an unknown outcome. */
  close(): void;
}

/** What a sender of one machine needs. */
export interface PushParts {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The folder of the outbox; undefined: a temporary one. */
  readonly folder: string | undefined;
}

/** Opens the sender of one machine; without settings, which tests in one process omit, nothing is sent. */
export function openPush(
  { folder, secrets, ...parts }: PushParts,
  { mode, addresses, ...options }: Partial<PushSettings> = {},
): LocalPush {
  const outbox =
    folder === undefined ? openTemporaryOutbox(parts) : openOutbox({ ...parts, folder });
  if (mode !== 'send' || addresses === undefined) return outbox;
  const sender = openPushSender({
    ...parts,
    vault: openDerivedVault(secrets),
    addresses,
    ...options,
  });
  return {
    ...sender,
    outbox: outbox.outbox,
    close: () => {
      sender.close();
      outbox.close();
    },
  };
}
