import {
  changeSuspension,
  listSuspensions,
  type Suspension,
  type SuspensionRequest,
} from '../../../instances/suspension.ts';
import { openClock } from '../../../ports/clock.ts';
import { openIds } from '../../../ports/ids.ts';
import { createClient } from '../store/client.ts';
import { openStore } from '../store/store.ts';

/** The suspended instances of a deployment. */
export interface DeployedSuspensions {
  /** Functions know of a change with their next request: each reads the record of the instance. */
  change(request: SuspensionRequest): Promise<void>;
  list(): Promise<readonly Suspension[]>;
  close(): Promise<void>;
}

/** Opens the suspended instances in a table, with the credentials of the operator. */
export function openSuspensions(table: string): DeployedSuspensions {
  const store = openStore({ table, client: createClient(), now: Date.now });
  return {
    change: (request) => changeSuspension({ store, ids: openIds(), clock: openClock() }, request),
    list: () => listSuspensions(store),
    close: () => store.close(),
  };
}
