import { listMailLetters } from '../../accounts/mail/mail-letters.ts';
import {
  type DeadLetter,
  type DeadLetterRequest,
  type DeadLetters,
  listChanges,
  requestFor,
} from '../../jobs/dead-letters.ts';
import { askServer } from './control.ts';
import { openStoreReader } from './store/read-only.ts';

/** Opens the dead letters of a data folder. The list is read also without a server; all else is done by the server. */
export async function openDeadLetters(folder: string): Promise<DeadLetters> {
  const store = await openStoreReader(folder);
  const ask = (action: DeadLetterRequest['action'], letter: DeadLetter) => {
    const request = requestFor(action, letter);
    return askServer(folder, letter.kind === 'mail' ? { mail: request } : { deadLetter: request });
  };
  return {
    list: async () => [...(await listChanges(store)), ...(await listMailLetters(store))],
    replay: (letter) => ask('replay', letter),
    drop: (letter) => ask('drop', letter),
    close: () => store.close(),
  };
}
