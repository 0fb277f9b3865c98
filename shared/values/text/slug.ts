import { dataMessages } from '../errors/data-messages.ts';
import type { ValueSchema } from '../values.ts';
import { atMost, letterFirst, letterOrDigitLast, matching, nameOf } from './name-rules.ts';

/** Accepts the name of an endpoint or a template (docs/reference/data-endpoints.md#names). */
export function slug(): ValueSchema<string> {
  return nameOf(
    letterFirst,
    letterOrDigitLast,
    atMost(64),
    matching(/^[a-z0-9_-]+$/, dataMessages.slugCharacters),
  );
}
