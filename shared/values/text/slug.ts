import { dataMessages } from '../errors/data-messages.ts';
import type { ValueSchema } from '../values.ts';
import { atMost, letterFirst, letterOrDigitLast, matching, readName } from './name-rules.ts';

/** Accepts the name of an endpoint or a template (docs/reference/data-endpoints.md#names). */
export function slug(): ValueSchema<string> {
  return readName(
    letterFirst,
    letterOrDigitLast,
    atMost(64),
    matching(/^[a-z0-9_-]+$/, dataMessages.slugCharacters),
  );
}
