import { dataMessages } from '../../values/errors/data-messages.ts';
import {
  atMost,
  letterFirst,
  letterOrDigitLast,
  matching,
  noneOf,
  readName,
} from '../../values/text/name-rules.ts';
import type { ValueSchema } from '../../values/values.ts';

/** Returns the schema of the name of a class (docs/reference/classes.md#name). */
export function className(): ValueSchema<string> {
  return readName(
    letterFirst,
    letterOrDigitLast,
    noneOf(['self', 'user', 'users', 'acl']),
    atMost(50), // as in the interface document; old clients assume 64, which does no harm
    matching(/^[a-z0-9_]+$/, dataMessages.classNameCharacters),
  );
}
