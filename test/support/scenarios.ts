import { describe, expect, it } from 'vitest';
import type { Api, Scenario } from './api.ts';

/**
 * Runs a table of requests, each separately and in order; rows that depend on created data come from a
 * function that is called when the first one runs.
 */
export function scenarios(title: string, api: () => Api, rows: readonly Lazy[]): void {
  describe(title, () => {
    it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
      const { status, response, name: __, ...call } = { ...row, ...row.given?.() };
      const result = await api().send({ path: '/', ...call });
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
  readonly given?: () => Partial<Scenario>;
};
