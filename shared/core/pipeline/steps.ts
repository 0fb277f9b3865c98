/** Reads the results of earlier steps, and returns what it adds to them. Throws to end the list. */
type Step<Exchange, More> = (exchange: Exchange) => More | Promise<More>;

/** A list of steps that need `Start` and produce `End`. */
export interface Steps<Start extends object, End extends Start> {
  readonly list: readonly Step<never, unknown>[];
  /** Adds a step; the compiler checks that the steps before it produce what it reads. */
  add<More>(step: Step<End, More>): Steps<Start, End & Added<More>>;
}

/** A step that returns nothing adds nothing. */
type Added<More> = More extends object ? More : unknown;

/** The end of a list of steps: with all their results, or with those before the error. */
export type StepsResult<Start, End> =
  | { readonly isDone: true; readonly exchange: End }
  | { readonly isDone: false; readonly exchange: Start & Partial<End>; readonly error: unknown };

/** Starts a list of steps over an exchange. */
export function startWith<Start extends object>(): Steps<Start, Start> {
  return stepsOf<Start, Start>([]);
}

function stepsOf<Start extends object, End extends Start>(
  list: Steps<Start, End>['list'],
): Steps<Start, End> {
  return {
    list,
    add: <More>(step: Step<End, More>) =>
      stepsOf<Start, End & Added<More>>([...list, step as Step<never, unknown>]),
  };
}

/**
 * Runs steps in order until one throws. Steps that return no promise run without a turn of the event loop.
 *
 * @param exchange gets what each step finds
 */
export async function runSteps<Start extends object, End extends Start>(
  { list }: Steps<Start, End>,
  exchange: Start,
): Promise<StepsResult<Start, End>> {
  try {
    for (const step of list) {
      const more = step(exchange as never); // `add` has checked that it is complete
      addTo(exchange, more instanceof Promise ? await more : more);
    }
    return { isDone: true, exchange: exchange as End }; // every step has added its part
  } catch (error) {
    return { isDone: false, exchange, error };
  }
}

/** Sets the fields that a step has found; keeps the shape of an exchange that has them all, as Object.assign does not. */
function addTo(exchange: object, found: unknown): void {
  const fields = exchange as Record<string, unknown>; // `add` has checked these, too
  for (const name in found as object) fields[name] = (found as typeof fields)[name];
}
