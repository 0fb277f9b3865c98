import { api } from '../functions/api.ts';
import type { Grants, TableUse } from '../shared/ports/grants.ts';

/** The family whose function has the whole map, and the grants of all families. */
export const wholeMap = 'batch';

/**
 * The family whose function receives requests that match no path of the gateway. It responds to unknown paths, and
 * forwards requests for other families to their functions.
 */
export const fallbackFamily = 'root';

/** Grants of a function, each member present. */
export type AllGrants = Required<Grants>;

/** Returns the union of grants. */
export function unionOf(all: readonly Grants[]): AllGrants {
  return {
    table: union(all.map(({ table }) => table)),
    files: union(all.map(({ files }) => files)),
    push: union(all.map(({ push }) => push)),
    vault: union(all.map(({ vault }) => vault)),
    scripts: union(all.map(({ scripts }) => scripts)),
    mail: all.some(({ mail }) => mail),
  };
}

function union<Use>(all: readonly (readonly Use[] | undefined)[]): readonly Use[] {
  return [...new Set(all.flatMap((uses = []) => uses))];
}

/** Returns the grants of a family's function. */
export function grantsOf(family: string): AllGrants {
  const served = api.filter(({ name }) => name === family || family === wholeMap);
  if (served.length === 0) throw new Error(`no family ${family}`);
  return unionOf(served.map(({ grants }) => grants));
}

/** Policy actions for the table's items that every function needs. */
export const readActions: readonly string[] = ['dynamodb:BatchGetItem', 'dynamodb:GetItem'];

/** Policy actions for the table's items. A transaction needs only the actions of its parts. */
export const tableActions: Readonly<Record<Exclude<TableUse, 'filter'>, readonly string[]>> = {
  list: ['dynamodb:Query'],
  write: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
  check: ['dynamodb:ConditionCheckItem'],
  count: ['dynamodb:UpdateItem'],
  meter: ['dynamodb:ConditionCheckItem'], // and PutItem, but only for usage items and sessions
};
