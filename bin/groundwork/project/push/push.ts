import { processVariables } from '../../../../shared/ports/setting-variables.ts';
import { below } from '../../../../shared/values/text/request-path.ts';
import { describeError } from '../../errors/describe-error.ts';
import type { InstanceConnection } from '../../settings.ts';
import { countOf, type Terminal } from '../../terminal.ts';
import { type Project, wantedSections } from '../files/project.ts';
import type { SectionName } from '../model/section.ts';
import { missingSecrets } from '../model/user-members.ts';
import { applyChanges } from './apply.ts';
import {
  type ApiRecord,
  type InstanceState,
  readInstance,
  warnOfShared,
} from './instance-state.ts';
import { type Applied, madeBy } from './made.ts';
import { changesBetween, isRemoval, lostFields, type ProjectChange } from './plan.ts';
import { missingReferences } from './references.ts';
import { type ChangeReport, changeTable, madeTable, reportOf } from './report.ts';

/** Options of a push. */
export interface PushOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly only?: string;
}

/** The outcome of a push. */
export interface PushReport {
  readonly changes: readonly ChangeReport[];
  /** What differs, and changes with `--prune` only. */
  readonly kept: readonly ChangeReport[];
  /** Whether all changes were made. */
  readonly isApplied: boolean;
  /** Why a change failed, after which no other was made. */
  readonly error?: string;
}

/** A push that failed at one of its changes; those before it have been made. */
export class ProjectPushError extends Error {
  readonly report: PushReport;

  constructor(cause: unknown, report: PushReport) {
    super(describeError(cause), { cause });
    this.report = { ...report, error: this.message };
  }
}

/**
 * Makes an instance what the project describes.
 *
 * @throws Error before the first change, for changes that delete data without `--prune`
 * @throws ProjectPushError when a change fails
 */
export async function pushProject(
  connection: InstanceConnection,
  project: Project,
  { options, out }: { readonly options: PushOptions; readonly out: Terminal },
): Promise<PushReport> {
  const { dryRun = false, prune = false } = options;
  const names = wantedSections(project, options.only);
  const instance = await readInstance(connection, names);
  warnOfShared(instance, out);
  const all = changesBetween(project.state, instance.state, names);
  const changes = all.filter(
    (change) => prune || change.action === 'replace' || !isRemoval(change),
  );
  const kept = all.filter((change) => !changes.includes(change));
  out.say(changeTable(out, changes, kept));
  const exists = existsAfter(instance, changes);
  const problems = [
    ...missingReferences(changes, exists),
    ...sharedNames(changes, instance),
    ...changes.flatMap(({ section, members, after }) =>
      section.name === 'users' && members.includes('providers')
        ? missingSecrets(after ?? {}, processVariables())
        : [],
    ),
    ...(prune ? [] : await losses(connection, changes)),
  ];
  if (problems.length > 0) throw new Error(`nothing was changed:\n  ${problems.join('\n  ')}`);
  const applied: Applied = new Map();
  const report = (): PushReport => ({
    changes: changes.map((change) => reportOf(change, applied)),
    kept: kept.map((change) => reportOf(change)),
    isApplied: !dryRun && applied.size === changes.length,
  });
  if (dryRun || changes.length === 0) return report();
  try {
    await apply(changes, { connection, project, instance, out, applied });
  } catch (error) {
    throw new ProjectPushError(error, report());
  }
  return report();
}

/** Tells which names there are after the changes. */
function existsAfter({ state }: InstanceState, changes: readonly ProjectChange[]) {
  return (section: SectionName, name: string): boolean => {
    const change = changes.find((each) => each.section.name === section && each.name === name);
    if (change === undefined) return state.get(section)?.has(name) === true;
    return change.action !== 'delete';
  };
}

/** Returns the problems of records that would be created although there are several of their name. */
function sharedNames(
  changes: readonly ProjectChange[],
  { shared }: InstanceState,
): readonly string[] {
  return changes.flatMap(({ section, name, action }) => {
    const count = shared.get(section.name)?.filter((each) => each === name).length ?? 0;
    if (action !== 'create' || count === 0) return [];
    return [`${section.name}.${name}: the instance has ${count} of this name`];
  });
}

/** Returns the problems of changes that would delete data. */
async function losses(
  { send, base }: InstanceConnection,
  changes: readonly ProjectChange[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const change of changes) {
    const { name, action, section } = change;
    if (action === 'replace') {
      problems.push(
        `${section.name}.${name}: a change of ${change.members.join(', ')} replaces it, which takes --prune`,
      );
    }
    const fields = lostFields(change);
    if (fields.length === 0) continue;
    const { body } = await send({ path: below(base)`classes/${name}/objects/?page_size=1` });
    if (body.objects.length === 0) continue;
    const lost = fields.map((field) => `classes.${name}.fields.${field}`).join(', ');
    problems.push(
      `${lost}: the class has objects, whose values would be deleted, which takes --prune`,
    );
  }
  return problems;
}

interface Pushed {
  readonly connection: InstanceConnection;
  readonly project: Project;
  readonly instance: InstanceState;
  readonly out: Terminal;
  /** Gets each change when it has been made. */
  readonly applied: Applied;
}

async function apply(
  changes: readonly ProjectChange[],
  { connection, project, instance, out, applied }: Pushed,
): Promise<void> {
  const bar = out.progress('Pushing', changes.length);
  const classes = [...(project.state.get('classes')?.keys() ?? [])];
  const note = (change: ProjectChange, record: ApiRecord = {}) => {
    bar.advance(1);
    applied.set(change, madeBy(change, record, connection));
  };
  try {
    await applyChanges(changes, { connection, instance, classes, applied: note });
  } finally {
    const end = `Pushed ${countOf(applied.size, 'change')} to ${connection.instance}.`;
    bar.end(out.isJson ? undefined : end); // the report says it
    const table = madeTable(applied);
    if (table !== '') out.say(table);
  }
}
