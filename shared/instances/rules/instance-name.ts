import { messages } from '../../values/errors/messages.ts';
import { characterCount } from '../../values/scalars.ts';
import {
  atMost,
  letterFirst,
  letterOrDigitLast,
  matching,
  noneOf,
  readName,
} from '../../values/text/name-rules.ts';
import type { ValueSchema } from '../../values/values.ts';

const minLength = 5;
const reserved = `devcenter support sentry admin platform redirect media signup login instance_subdomain my_instance
  myinstance panel account noinstance public template1 status`;

/** Returns the schema of the name of an instance (docs/reference/instances.md#name). */
export function instanceName(): ValueSchema<string> {
  return readName(
    (name) => (characterCount(name) < minLength ? messages.minLength(minLength) : undefined),
    letterFirst,
    letterOrDigitLast,
    matching(/^[a-z0-9-]*$/, messages.instanceNameCharacters),
    matching(/^(?!.*--)/, messages.doubleHyphen),
    noneOf(reserved.split(/\s+/)),
    atMost(64),
  );
}
