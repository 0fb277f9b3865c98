import type { ChangedItem } from '../table/kind.ts';
import { factsOf } from '../table/kinds.ts';
import type { LetterItem } from '../table/records/jobs.ts';

/** Describes the changed item in words of the interface; an event stands for the change of its object. */
export function describeItem(
  change: ChangedItem & { readonly kind: string },
  action: LetterItem['action'],
): LetterItem {
  return { item: 'other', action, ...factsOf(change.kind)?.inLetters?.(change) };
}
