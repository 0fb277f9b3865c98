import type { Json } from '../../values/json/json.ts';
import { MemberReader } from '../../values/json/member-reader.ts';
import type { ObjectData } from './records.ts';

/*
 * Reads data objects from their JSON text. Lists examine many objects for a few of their values, and show them almost
 * as they are stored: parsing all of each would be most of the cost of an object that was not read before.
 */

const nameOrNull = String.raw`(?:null|"(?:[^"\\]|\\.)*")`;
const number = String.raw`(?:null|\d+)`;
const head = new RegExp(
  String.raw`^(\{"id":(\d+),"created_at":"[^"\\]*","updated_at":"[^"\\]*","revision":\d+,` +
    String.raw`"owner":(${number}),"owner_permissions":"\w+","group":(${number}),"group_permissions":"\w+",` +
    String.raw`"other_permissions":"\w+","channel":(${nameOrNull}),"channel_room":${nameOrNull},)` +
    String.raw`(?:"channelNumber":${number},)?"epoch":\d+,"values":\{`,
);

/** What the text of an object begins with. */
export interface ObjectHead extends Pick<ObjectData, 'id' | 'owner' | 'group' | 'channel'> {
  /** Its JSON up to the comma after `channel_room`: clients get these members as they are. */
  readonly shown: string;
  /** Position of its values. */
  readonly valuesAt: number;
}

/** Reads the beginning of an object's text; undefined when its members are in another order. */
export function readObjectHead(text: string): ObjectHead | undefined {
  const found = head.exec(text);
  if (found === null) return undefined;
  const [{ length }, shown = '', id, owner = '', group = '', channel = ''] = found;
  return {
    shown,
    id: Number(id),
    owner: JSON.parse(owner) as number | null, // by the pattern, like the next two
    group: JSON.parse(group) as number | null,
    channel: JSON.parse(channel) as string | null,
    valuesAt: length,
  };
}

const valuesStart = '"values":{';

/** Returns the value of a field from an object's text, by its storage name; undefined when it is not set. */
export function readObjectValue(text: string, storage: string): Json | undefined {
  // found nowhere else: inside of texts quotes are escaped, and the members before it are scalars
  const members = new MemberReader(text, text.indexOf(valuesStart) + valuesStart.length);
  while (members.next()) {
    if (members.name === storage) return JSON.parse(members.value) as Json;
  }
  return undefined;
}
