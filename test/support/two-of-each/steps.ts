import { accounts, instances } from './accounts.ts';
import { channels, push } from './channels.ts';
import { data, people } from './data.ts';
import { ends, operations, reads, restored } from './ends.ts';
import { scripts } from './scripts.ts';
import type { Step } from './step.ts';
import { userAccounts } from './user-accounts.ts';

/*
 * Requests that use each operation of the map for two tenants, and for two things of each: classes, scripts, channels
 * and so on, which have the same numbers and fields of the same names, and otherwise differ. A process that takes one of
 * them for another gives another response.
 */

/** All steps, in their order. */
export const steps: readonly Step[] = [
  ...accounts,
  ...instances,
  ...data,
  ...people,
  ...userAccounts,
  ...channels,
  ...push,
  ...scripts,
  ...operations,
  ...reads,
  ...restored,
  ...reads,
  ...ends,
];
