import { itemsOf, type Send } from '../../../client.ts';
import type { InstanceConnection } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import type { Entry } from '../model/members.ts';
import type { Section, SectionName } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import type { Entries, State } from '../model/state.ts';

/** A record as the interface shows it. */
type ApiRecord = Readonly<Record<string, unknown>>;

/** What an instance has. */
export interface InstanceState {
  readonly state: State;
  /** Paths of records, from the root. */
  readonly paths: ReadonlyMap<SectionName, ReadonlyMap<string, string>>;
  readonly ids: Ids;
  /** Sections with records that have no name of their own, and their number. */
  readonly unnamed: ReadonlyMap<SectionName, number>;
}

/** Ids of records by section and name. */
export type Ids = ReadonlyMap<SectionName, ReadonlyMap<string, number>>;

/** Reads all that project files manage of an instance. */
export async function readInstance({ send, base }: InstanceConnection): Promise<InstanceState> {
  const state = new Map<SectionName, Entries>();
  const paths = new Map<SectionName, ReadonlyMap<string, string>>();
  const ids = new Map<SectionName, ReadonlyMap<string, number>>();
  const unnamed = new Map<SectionName, number>();
  for (const section of sections) {
    const records = await readRecords(send, base, section);
    const named = namedRecords(section, records);
    const count = records.filter((record) => isUnnamed(section, record, named)).length;
    if (count > 0) unnamed.set(section.name, count);
    const all = [...named];
    const { name } = section;
    ids.set(name, new Map(all.map(([key, record]) => [key, Number(record.id)])));
    paths.set(name, new Map(all.map(([key, record]) => [key, pathOf(base, section, record)])));
    state.set(name, new Map(all.map(([key, record]) => [key, entryOf(section, record, ids)])));
  }
  return { state, paths, ids, unnamed };
}

async function readRecords(
  send: Send,
  base: string,
  { path, isSettings, inFiles }: Section,
): Promise<readonly ApiRecord[]> {
  if (isSettings) return [(await send({ path: base + path })).body];
  const records: ApiRecord[] = [];
  for await (const record of itemsOf<ApiRecord>(send, `${base}${path}?page_size=${pageSize}`)) {
    const isCut = inFiles.some((name) => String(record[name]).endsWith(cutEnd));
    const whole = isCut ? await send({ path: `${base}${path}${record.id}/` }) : { body: record };
    records.push(whole.body);
  }
  return records;
}

const pageSize = 100;
const cutEnd = '(...truncated...)'; // of a long source in a list

/** Returns the records that have a name, and share it with no other record. */
function namedRecords(
  section: Section,
  records: readonly ApiRecord[],
): ReadonlyMap<string, ApiRecord> {
  const names = records.map(section.nameOf);
  const isOwn = (name: string) => name !== '' && names.indexOf(name) === names.lastIndexOf(name);
  const named = records.map((record, at) => [names[at] ?? '', record] as const);
  return new Map(named.filter(([name]) => isOwn(name)));
}

function isUnnamed(
  section: Section,
  record: ApiRecord,
  named: ReadonlyMap<string, ApiRecord>,
): boolean {
  const name = section.nameOf(record);
  return !named.has(name) && !Object.hasOwn(section.builtIn, name);
}

/** Returns the path of a record, from the root. */
export function pathOf(base: string, section: Section, record: ApiRecord): string {
  const { path, isSettings, key } = section;
  return isSettings ? base + path : `${base}${path}${record[key]}/`;
}

function entryOf(section: Section, record: ApiRecord, ids: Ids): Entry {
  const { members, references, inFiles } = section;
  const converted = section.fromRecord(record);
  const names = [...Object.keys(members), ...inFiles].filter((name) => name in converted);
  return Object.fromEntries(
    names.map((name) => {
      const other = references[name];
      const value = converted[name];
      return [name, other === undefined ? value : (nameOfId(ids, other, value) ?? value)];
    }),
  );
}

function nameOfId(ids: Ids, section: SectionName, id: unknown): string | undefined {
  return [...(ids.get(section) ?? [])].find(([, each]) => each === id)?.[0];
}

/** Warns of records that no project file can name. */
export function warnOfUnnamed({ unnamed }: InstanceState, out: Terminal): void {
  for (const [section, count] of unnamed) {
    out.warn(`${section}: ${count} without a name of their own, which groundwork.yml cannot hold`);
  }
}
