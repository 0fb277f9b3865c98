import { dataEndpointAddress, scriptEndpointAddress } from '../../addresses.ts';
import type { InstancePlace } from '../../settings.ts';
import type { ApiRecord } from './instance-state.ts';
import type { ProjectChange } from './plan.ts';

/** What apps need of a record that a push has made: where it is, or the key. */
export interface Made {
  /** What it is, in words. */
  readonly kind: 'public link' | 'endpoint' | 'API key';
  readonly value: string;
}

/** The changes that a push has made, with what apps need of their records. */
export type Applied = Map<ProjectChange, Made | undefined>;

/** Returns what apps need of a record that is new, or is at another address now. */
export function madeBy(
  { section, action, members, name }: ProjectChange,
  record: ApiRecord,
  place: InstancePlace,
): Made | undefined {
  const isNew = action === 'create' || action === 'replace';
  switch (section.name) {
    case 'api_keys':
      return isNew ? { kind: 'API key', value: String(record.api_key) } : undefined;
    case 'data_endpoints':
      return isNew ? { kind: 'endpoint', value: dataEndpointAddress(place, name) } : undefined;
    case 'script_endpoints': {
      if (!isNew && !members.includes('public')) return undefined;
      const endpoint = {
        name,
        public: record.public === true,
        public_link: `${record.public_link}`,
      };
      const value = scriptEndpointAddress(place, endpoint);
      return { kind: endpoint.public ? 'public link' : 'endpoint', value };
    }
    default:
      return undefined;
  }
}
