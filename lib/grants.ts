import { api } from '../functions/api.ts';
import type { FileArea, Grants, PushUse, ScriptUse, TableUse } from '../shared/platform/grants.ts';

/** Grants of a function, each member present. */
export type AllGrants = Required<Grants>;

const tableUses: readonly TableUse[] = [
  'read',
  'list',
  'filter',
  'write',
  'check',
  'count',
  'meter',
];
const fileAreas: readonly FileArea[] = ['public', 'uploads', 'scripts', 'traces'];
const pushUses: readonly PushUse[] = ['configure', 'send'];
const scriptUses: readonly ScriptUse[] = ['run', 'start', 'deploy'];

/** Returns the union of grants. */
export function unionOf(all: readonly Grants[]): AllGrants {
  return {
    table: tableUses.filter((use) => all.some(({ table }) => table.includes(use))),
    files: fileAreas.filter((area) => all.some(({ files }) => files?.includes(area))),
    push: pushUses.filter((use) => all.some(({ push }) => push?.includes(use))),
    scripts: scriptUses.filter((use) => all.some(({ scripts }) => scripts?.includes(use))),
    mail: all.some(({ mail }) => mail),
  };
}

const declared = api.flatMap(({ grants }) => (grants === 'of the whole map' ? [] : [grants]));

/** Returns the grants of a family's function; one that serves the whole map has those of all families. */
export function grantsOf(family: string): AllGrants {
  const found = api.find(({ name }) => name === family);
  if (found === undefined) throw new Error(`no family ${family}`);
  return unionOf(found.grants === 'of the whole map' ? declared : [found.grants]);
}

/** Policy actions for the table's items. A transaction needs only the actions of its parts. */
export const tableActions: Readonly<Record<Exclude<TableUse, 'filter'>, readonly string[]>> = {
  read: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  write: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
  check: ['dynamodb:ConditionCheckItem'],
  count: ['dynamodb:UpdateItem'],
  meter: ['dynamodb:ConditionCheckItem'], // and PutItem, but only for usage items
};
