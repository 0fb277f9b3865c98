import { RenderError, type Value } from './values.ts';

/** Arguments by parameter name; omitted arguments are absent. */
export type NamedArguments = Readonly<Partial<Record<string, Value>>>;

/** A filter: the parameters that follow its value, in order, and its function. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly run: (value: Value, args: NamedArguments) => Value;
}

/**
 * Assigns arguments to parameters.
 *
 * @throws RenderError for an argument without a parameter
 */
export function bind(
  parameters: readonly string[],
  args: readonly Value[],
  named: Readonly<Record<string, Value>>,
): NamedArguments {
  if (args.length > parameters.length) {
    throw new RenderError(`takes ${parameters.length} arguments (${args.length} given)`);
  }
  const unknown = Object.keys(named).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new RenderError(`got an unexpected keyword argument '${unknown}'`);
  }
  const positional = args.map((value, at): [string, Value] => [parameters[at] ?? '', value]);
  return { ...Object.fromEntries(positional), ...named };
}
