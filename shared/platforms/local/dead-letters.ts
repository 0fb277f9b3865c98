import { type DeadLetters, listChanges, requestFor } from '../../jobs/dead-letters.ts';
import { askServer } from './control.ts';
import { openStoreReader } from './store/read-only.ts';

/** Opens the dead letters of a data folder. The list is read also without a server; all else is done by the server. */
export async function openDeadLetters(folder: string): Promise<DeadLetters> {
  const store = await openStoreReader(folder);
  return {
    list: () => listChanges(store),
    replay: (letter) => askServer(folder, { deadLetter: requestFor('replay', letter) }),
    drop: (letter) => askServer(folder, { deadLetter: requestFor('drop', letter) }),
    close: () => store.close(),
  };
}
