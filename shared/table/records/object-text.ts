import type { Json } from '../../values/json/json.ts';
import { MemberReader, valueAt } from '../../values/json/member-reader.ts';
import type { ObjectData } from './records.ts';

/*
 * Reads data objects from their JSON text. Lists examine many objects for a few of their values, and show them almost
 * as they are stored: parsing all of each would be most of the cost of an object that was not read before.
 */

const nameOrNull = String.raw`(?:null|"(?:[^"\\]|\\.)*")`;
const number = String.raw`(?:null|\d+)`;
const head = new RegExp(
  String.raw`(\{"id":(\d+),"created_at":"[^"\\]*","updated_at":"[^"\\]*","revision":\d+,` +
    String.raw`"owner":(${number}),"owner_permissions":"\w+","group":(${number}),"group_permissions":"\w+",` +
    String.raw`"other_permissions":"\w+","channel":(${nameOrNull}),"channel_room":${nameOrNull},)` +
    String.raw`(?:"channelNumber":${number},)?"epoch":\d+,"values":\{`,
  'y',
);

/** Beginning of the text of an object. */
export interface ObjectHead extends Pick<ObjectData, 'id' | 'owner' | 'group' | 'channel'> {
  /** Its JSON up to the comma after `channel_room`: clients get these members as they are. */
  readonly shown: string;
  /** Position of its values. */
  readonly valuesAt: number;
}

/** Reads the beginning of an object's text, which is at `at`; undefined when its members are in another order. */
export function readObjectHead(text: string, at = 0): ObjectHead | undefined {
  head.lastIndex = at;
  const found = head.exec(text);
  if (found === null) return undefined;
  const [{ length }, shown = '', id, owner, group, channel = 'null'] = found;
  return {
    shown,
    id: Number(id),
    owner: owner === 'null' ? null : Number(owner),
    group: group === 'null' ? null : Number(group),
    channel: channel === 'null' ? null : (JSON.parse(channel) as string), // by the pattern
    valuesAt: at + length,
  };
}

const valuesStart = '"values":{';
const quote = 34;
const colon = 58;

/**
 * Returns the value of a field from an object's text, by its storage name; undefined when it is not set.
 *
 * @param at position where the text begins
 */
export function readObjectValue(text: string, storage: string, at = 0): Json | undefined {
  const from = valuesPosition(text, at);
  const nameAt = findName(text, storage, from);
  if (nameAt < 0) return undefined;
  const inner = text.indexOf('{', from);
  if (inner < 0 || inner > nameAt) return parseValue(valueAt(text, nameAt + storage.length + 2));
  // it may be the name of a member inside of another value
  const members = new MemberReader(text, from);
  while (members.next()) if (members.name === storage) return parseValue(members.value);
  return undefined;
}

/** Returns the position of the values in an object's text. */
function valuesPosition(text: string, at: number): number {
  const from = text.indexOf('{', at + 1) + 1;
  if (text.startsWith(valuesStart, from - valuesStart.length)) return from; // mostly: the members before it are plain
  // found nowhere else: inside of texts quotes are escaped
  return text.indexOf(valuesStart, at) + valuesStart.length;
}

/** Returns the position of the first member with a name from `from`, at any depth; negative: there is none. */
function findName(text: string, name: string, from: number): number {
  let at = text.indexOf(name, from);
  while (at >= 0 && !isName(text, at, at + name.length)) at = text.indexOf(name, at + 1);
  return at;
}

/** Checks whether a part of a JSON text, without escapes, is the name of a member. */
function isName(text: string, start: number, end: number): boolean {
  return (
    text.charCodeAt(start - 1) === quote &&
    text.charCodeAt(end) === quote &&
    text.charCodeAt(end + 1) === colon
  );
}

function parseValue(text: string): Json {
  if (text === 'true') return true; // the most frequent in filters
  return text === 'false' ? false : (JSON.parse(text) as Json);
}
