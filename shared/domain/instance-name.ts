import { messages } from './messages.ts';
import { atMost, letterFirst, letterOrDigitLast, matching, nameOf, noneOf } from './name-rules.ts';
import { characterCount } from './scalars.ts';
import type { ValueSchema } from './values.ts';

const minLength = 5;
const reserved = `devcenter support sentry admin platform redirect media signup login instance_subdomain my_instance
  myinstance panel account noinstance public template1 status`;

/** The name of an instance (docs/reference/instances.md#name). */
export function instanceName(): ValueSchema<string> {
  return nameOf(
    (name) => (characterCount(name) < minLength ? messages.minLength(minLength) : undefined),
    letterFirst,
    letterOrDigitLast,
    matching(/^[a-z0-9-]*$/, messages.instanceNameCharacters),
    matching(/^(?!.*--)/, messages.doubleHyphen),
    noneOf(reserved.split(/\s+/)),
    atMost(64),
  );
}
