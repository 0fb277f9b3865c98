import type { Suspension } from '../../shared/instances/suspension.ts';
import { formatTable } from './terminal.ts';

/** Returns what the commands show of suspended instances: a table, or a sentence if there is none. */
export function describeSuspensions(all: readonly Suspension[]): string {
  if (all.length === 0) return 'No instance is suspended.';
  const rows = all.map((each) => [each.instance, each.suspended_at, each.reason ?? '']);
  return formatTable([['instance', 'suspended at', 'reason'], ...rows]);
}
