import type { deadLetterFields } from '../../../functions/dead-letters/fields.ts';
import type { instanceFields } from '../../../functions/instances/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
/** An instance, as the interface shows it. */
export type InstanceRecord = ShownRecord<typeof instanceFields>;

/** A row of usage. */
export interface UsageRecord {
  readonly hour?: string;
  readonly date?: string;
  readonly source: string;
  readonly value: number;
}

/** A dead letter. */
export type DeadLetterRecord = ShownRecord<typeof deadLetterFields>;
