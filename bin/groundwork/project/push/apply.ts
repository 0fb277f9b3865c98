import { joinPaths, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { untilReady } from '../../class-status.ts';
import { describeError } from '../../errors/describe-error.ts';
import type { InstanceConnection } from '../../settings.ts';
import type { ProjectEntry } from '../model/members.ts';
import type { Section, SectionName } from '../model/section.ts';
import { type ApiRecord, type InstanceState, recordPath } from './instance-state.ts';
import type { ProjectChange } from './plan.ts';

/** What changes are applied to. */
export interface PushTarget {
  readonly connection: InstanceConnection;
  readonly instance: InstanceState;
  /** Classes that fields may refer to before they exist. */
  readonly classes: readonly string[];
  /** Is called after each change, with the record that was written. */
  readonly applied: (change: ProjectChange, record?: ApiRecord) => void;
}

/**
 * Applies changes: first records that are written, in the order of sections, then those that are deleted, in reverse.
 *
 * @throws Error that names the record of a change that the server rejects; those before it have been made
 */
export async function applyChanges(
  changes: readonly ProjectChange[],
  target: PushTarget,
): Promise<void> {
  const known = new Map([...target.instance.ids].map(([name, own]) => [name, new Map(own)]));
  const writer = { ...target, ids: known };
  const isDeleted = ({ action }: ProjectChange) => action === 'delete';
  const written = changes.filter((change) => !isDeleted(change));
  const migrating = written.filter(({ section }) => section.name === 'classes');
  for (const change of written) {
    target.applied(change, await runNamed(change, () => write(change, writer)));
    if (change === migrating.at(-1)) await settle(migrating, target);
  }
  for (const change of changes.filter(isDeleted).reverse()) {
    await runNamed(change, () => remove(change, target));
    target.applied(change);
  }
}

interface Writer extends PushTarget {
  readonly ids: Map<SectionName, Map<string, number>>;
}

async function runNamed<Result>(
  { section, name }: ProjectChange,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${section.name}.${name}: ${describeError(error)}`, { cause: error });
  }
}

async function write(change: ProjectChange, writer: Writer): Promise<ApiRecord> {
  const { section, name, action, members, after = {} } = change;
  const { send, base } = writer.connection;
  if (action === 'replace') await remove(change, writer);
  if (action === 'create' || action === 'replace') {
    const body = { [section.nameMember]: name, ...bodyOf(section, after, writer) };
    const created = await send({ path: joinPaths(base, section.path), body });
    writer.ids.get(section.name)?.set(name, created.body.id);
    return created.body;
  }
  const path = existingPath(change, writer);
  if (section.name === 'classes') await untilReady(writer.connection.send, path);
  const changed = Object.fromEntries(members.map((member) => [member, after[member]]));
  const updated = await send({ method: 'PATCH', path, body: bodyOf(section, changed, writer) });
  return updated.body;
}

async function remove(change: ProjectChange, target: PushTarget): Promise<void> {
  const { send } = target.connection;
  await send({ method: 'DELETE', path: existingPath(change, target), expect: [204, 404] });
}

function existingPath(
  { section, name }: ProjectChange,
  { instance, connection }: PushTarget,
): RequestPath {
  const path = instance.paths.get(section.name)?.get(name);
  return path ?? recordPath(connection.base, section, { name });
}

function bodyOf(section: Section, entry: ProjectEntry, { ids, classes }: Writer): ProjectEntry {
  const members = Object.entries(entry).map(([member, value]) => {
    const other = section.references[member];
    if (other === undefined || typeof value !== 'string') return [member, value];
    return [member, ids.get(other)?.get(value)];
  });
  const body = section.toBody(Object.fromEntries(members));
  return section.name === 'classes' ? { ...body, ignored_target_classes: classes } : body;
}

/** Waits until indexes of changed classes are built. */
async function settle(changes: readonly ProjectChange[], target: PushTarget): Promise<void> {
  for (const change of changes)
    await untilReady(target.connection.send, existingPath(change, target));
}
