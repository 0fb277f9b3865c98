import { printableLine } from '../../../../shared/values/text/printable.ts';
import { formatTable } from '../../../operator/terminal.ts';
import type { Terminal } from '../../terminal.ts';
import type { Applied } from './made.ts';
import { describeChange, type ProjectChange } from './plan.ts';

/** A difference as programs read it. */
export interface ChangeReport {
  readonly section: string;
  readonly name: string;
  readonly change: string;
  readonly members: readonly string[];
  readonly details: string;
  /** Whether a push has made it. */
  readonly isApplied?: boolean;
  /** The address of an endpoint that is new, or public now. */
  readonly address?: string;
  /** An API key that is new. */
  readonly api_key?: string;
}

/** Returns a difference as programs read it, with what apps need of it. */
export function reportOf(change: ProjectChange, applied?: Applied): ChangeReport {
  const { section, name, action, members } = change;
  const details = describeChange(change);
  const pushed = applied && { isApplied: applied.has(change) };
  const made = applied?.get(change);
  const own = made && { [made.kind === 'API key' ? 'api_key' : 'address']: made.value };
  return { section: section.name, name, change: action, members, details, ...pushed, ...own };
}

/** Returns a table of what apps need of the records that a push has made; empty for nothing. */
export function madeTable(applied: Applied): string {
  const rows = [...applied].flatMap(([{ name }, made]) =>
    made === undefined ? [] : [[made.kind, name, made.value]],
  );
  return formatTable(rows).trimEnd();
}

/** Returns a table of differences, at the end those that a push does not change. */
export function changeTable(
  { style }: Terminal,
  changes: readonly ProjectChange[],
  kept: readonly ProjectChange[] = [],
): string {
  if (changes.length + kept.length === 0) return 'Nothing differs.';
  const header = ['change', 'section', 'name', ''];
  const table = formatTable([header, ...changes.map(rowOf), ...kept.map(keptRow)]);
  const [first = '', ...lines] = table.trimEnd().split('\n');
  const colored = lines.map((line, at) => style(colors[changes[at]?.action ?? 'keep'], line));
  return [style('bold', first), ...colored].join('\n');
}

const colors = {
  create: 'green',
  update: 'yellow',
  replace: 'red',
  delete: 'red',
  reset: 'red',
  keep: 'dim',
} as const;

function rowOf(change: ProjectChange): readonly string[] {
  return [
    change.action,
    change.section.name,
    printableLine(change.name),
    printableLine(describeChange(change)),
  ];
}

function keptRow({ section, name, action }: ProjectChange): readonly string[] {
  const verb = action === 'reset' ? 'resets' : 'deletes';
  return ['keep', section.name, printableLine(name), `not in the project: --prune ${verb} it`];
}
