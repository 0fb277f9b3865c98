import type { NamedLoad } from '../../routing/loads.ts';
import {
  type Forms,
  type Method,
  methods,
  type Operation,
  type Operations,
} from '../../routing/route.ts';
import { type LoadsOf, loadsFor } from './loads.ts';

/*
 * Routes do not show which records their operations get: the pipeline loads those that an operation declares before it
 * calls it. Only here does the type of the records leave a route.
 */

/** Adds its loads to each operation of a route. */
export function loadedOperations<Loaded extends object>(
  loads: LoadsOf<Loaded> | undefined,
  operations: Operations<Loaded>,
): Operations {
  const loaded: Partial<Record<Method, Operation>> = {};
  for (const method of methods) {
    const operation = operations[method];
    if (operation === undefined) continue;
    loaded[method] = { ...(operation as Operation), loads: loadsFor(loads, operation.right) };
  }
  checkDescribable(loaded);
  return loaded;
}

/** Checks that a description, which loads the records of GET, can apply the rules of the writes that it describes. */
function checkDescribable({ GET, POST, PUT }: Operations): void {
  const isRead = ({ name }: NamedLoad) => GET?.loads?.some((each) => each.name === name) === true;
  for (const write of [POST, PUT]) {
    if (write?.authorize !== undefined && write.loads?.every(isRead) === false)
      throw new Error('the rules of a write may not need records that GET does not load');
  }
}

/** Returns forms whose fields may depend on the records of a route. */
export function loadedForms<Loaded extends object>(forms: Forms<Loaded>): Forms {
  return forms as Forms;
}
