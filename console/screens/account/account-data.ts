import type { keyedAccountFields } from '../../../functions/account/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
/** An account, as the interface shows it. */
export type Account = ShownRecord<typeof keyedAccountFields>;
