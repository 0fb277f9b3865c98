import { RenderError, type Value } from './values.ts';

/** Arguments by the names of their parameters; one that was not given is absent. */
export type Given = Readonly<Partial<Record<string, Value>>>;

/** A filter: what it takes beside its value, in order, and what it gives. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly run: (value: Value, given: Given) => Value;
}

/**
 * Puts arguments to their parameters.
 *
 * @throws RenderError for one that has no parameter
 */
export function bind(
  parameters: readonly string[],
  args: readonly Value[],
  named: Readonly<Record<string, Value>>,
): Given {
  if (args.length > parameters.length) {
    throw new RenderError(`takes ${parameters.length} arguments (${args.length} given)`);
  }
  const unknown = Object.keys(named).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new RenderError(`got an unexpected keyword argument '${unknown}'`);
  }
  const given = args.map((value, at): [string, Value] => [parameters[at] ?? '', value]);
  return { ...Object.fromEntries(given), ...named };
}
