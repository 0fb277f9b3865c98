import { describe, expect, type TestAPI } from 'vitest';
import type { Scenario, World } from './api.ts';

/**
 * Runs a table of requests, each separately and in order; rows that depend on created data come from a
 * function that is called when the test runs.
 */
export function scenarios(
  test: Pick<TestAPI<{ world: World }>, 'for'>,
  title: string,
  rows: readonly Lazy[],
): void {
  describe(title, () => {
    test.for(rows.map((row) => [row.name, row] as const))('%s', async ([, row], { world }) => {
      const { status, response, name: _, ...call } = { ...row, ...row.given?.(world) };
      const result = await world.api.send({ path: '/', ...call });
      expect({ status: result.status, body: result.body }).toEqual({
        status,
        body: response === undefined ? result.body : response,
      });
    });
  });
}

/** A row; `given` adds values that are known only at run time. */
export type Lazy = Partial<Scenario> & {
  readonly name: string;
  readonly status: number;
  readonly given?: (world: World) => Partial<Scenario>;
};
