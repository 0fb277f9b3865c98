import { listItems, type PathSend, ResponseError } from '../../../../shared/clients/client.ts';
import { below, joinPaths, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { describeError } from '../../errors/describe-error.ts';
import type { InstanceConnection } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import type { ProjectEntry } from '../model/members.ts';
import type { Section, SectionName } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import type { Entries, ProjectState } from '../model/state.ts';

/** A record as the interface shows it. */
export type ApiRecord = Readonly<Record<string, unknown>>;

/** What an instance has. */
export interface InstanceState {
  readonly state: ProjectState;
  /** Paths of records, from the root. */
  readonly paths: ReadonlyMap<SectionName, ReadonlyMap<string, RequestPath>>;
  readonly ids: RecordIds;
  /** Names of records that have none, or share it, by section: a record each. */
  readonly shared: ReadonlyMap<SectionName, readonly string[]>;
}

/** Ids of records by section and name. */
export type RecordIds = ReadonlyMap<SectionName, ReadonlyMap<string, number>>;

/** Sections that others refer to. */
const referredTo: readonly SectionName[] = ['groups', 'classes', 'scripts'];

/**
 * Reads what project files manage of an instance.
 *
 * @param wanted sections that are read, with those that they may refer to
 */
export async function readInstance(
  { send, base }: InstanceConnection,
  wanted: ReadonlySet<SectionName>,
): Promise<InstanceState> {
  const state = new Map<SectionName, Entries>();
  const paths = new Map<SectionName, ReadonlyMap<string, RequestPath>>();
  const ids = new Map<SectionName, ReadonlyMap<string, number>>();
  const shared = new Map<SectionName, readonly string[]>();
  for (const section of sections) {
    const { name, nameOf } = section;
    if (!wanted.has(name) && !referredTo.includes(name)) continue;
    const records = await readRecords(send, base, section).catch((error) => {
      throw error instanceof ResponseError
        ? new Error(`${name} cannot be read: ${describeError(error)}`, { cause: error })
        : error;
    });
    const names = records.map(nameOf);
    const isOwn = (each: string) => each !== '' && names.indexOf(each) === names.lastIndexOf(each);
    const all = records.flatMap((record) => {
      const key = nameOf(record);
      return isOwn(key) ? [[key, record] as const] : [];
    });
    shared.set(
      name,
      names.filter((each) => !isOwn(each)),
    );
    ids.set(name, new Map(all.map(([key, record]) => [key, Number(record.id)])));
    paths.set(name, new Map(all.map(([key, record]) => [key, recordPath(base, section, record)])));
    state.set(name, new Map(all.map(([key, record]) => [key, entryOf(section, record, ids)])));
  }
  return { state, paths, ids, shared };
}

async function readRecords(
  send: PathSend,
  base: RequestPath,
  { path, isSettings, inFiles }: Section,
): Promise<readonly ApiRecord[]> {
  const list = joinPaths(base, path);
  if (isSettings) return [(await send({ path: list })).body];
  const records: ApiRecord[] = [];
  for await (const record of listItems<ApiRecord>(send, below(list)`?page_size=${pageSize}`)) {
    const isCut = inFiles.some((name) => String(record[name]).endsWith(cutEnd));
    const whole = isCut
      ? await send({ path: below(list)`${String(record.id)}/` })
      : { body: record };
    records.push(whole.body);
  }
  return records;
}

const pageSize = 100;
const cutEnd = '(...truncated...)'; // of a long source in a list

/** Returns the path of a record, from the root. */
export function recordPath(base: RequestPath, section: Section, record: ApiRecord): RequestPath {
  const { path, isSettings, key } = section;
  const list = joinPaths(base, path);
  return isSettings ? list : below(list)`${String(record[key])}/`;
}

/** Returns the members of a record; one that it leaves out has its default. */
function entryOf(section: Section, record: ApiRecord, ids: RecordIds): ProjectEntry {
  const { members, references, inFiles } = section;
  const converted = section.fromRecord(record);
  const names = [...Object.keys(members), ...inFiles].filter(
    (name) => name in converted || members[name]?.initial !== undefined,
  );
  return Object.fromEntries(
    names.map((name) => {
      const other = references[name];
      const value = name in converted ? converted[name] : members[name]?.initial;
      return [name, other === undefined ? value : (nameOfId(ids, other, value) ?? value)];
    }),
  );
}

function nameOfId(ids: RecordIds, section: SectionName, id: unknown): string | undefined {
  return [...(ids.get(section) ?? [])].find(([, each]) => each === id)?.[0];
}

/** Warns of records that no project file can name. */
export function warnOfShared({ shared }: InstanceState, out: Terminal): void {
  for (const { name, builtIn } of sections) {
    const count = shared.get(name)?.filter((each) => !Object.hasOwn(builtIn, each)).length ?? 0;
    if (count > 0) {
      out.warn(`${name}: ${count} without a name of their own, which groundwork.yml cannot hold`);
    }
  }
}
