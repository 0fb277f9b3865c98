import type { FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { at, joined, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { allItems } from '../../client.ts';
import type { InstanceConnection } from '../settings.ts';

/** A class, as the server shows it. */
export interface ClassRecord {
  readonly name: string;
  readonly schema: readonly FieldDefinition[];
}

/** A data endpoint, as the server shows it. */
export interface DataEndpointRecord {
  readonly name: string;
  readonly class: string;
  readonly excluded_fields: string | null;
  readonly expand: string | null;
}

interface ScriptEndpointRecord {
  readonly name: string;
  readonly public: boolean;
  readonly public_link: string;
}

interface ChannelRecord {
  readonly name: string;
  readonly type: 'default' | 'separate_rooms';
}

/** What a typed client knows of an instance. */
export interface InstanceSchema {
  readonly name: string;
  readonly classes: readonly ClassRecord[];
  readonly endpoints: readonly DataEndpointRecord[];
  readonly scripts: readonly ScriptEndpointRecord[];
  readonly channels: readonly ChannelRecord[];
}

/** Reads what a typed client has to know of an instance. */
export async function readInstanceSchema({
  send,
  base,
  instance,
}: InstanceConnection): Promise<InstanceSchema> {
  const listOf = <Item>(path: RequestPath) => allItems<Item>(send, joined(base, path));
  const [classes, endpoints, scripts, channels] = await Promise.all([
    listOf<ClassRecord>(at`classes/`),
    listOf<DataEndpointRecord>(at`endpoints/data/`),
    listOf<ScriptEndpointRecord>(at`endpoints/scripts/`),
    listOf<ChannelRecord>(at`channels/`),
  ]);
  return { name: instance, classes, endpoints, scripts, channels };
}
