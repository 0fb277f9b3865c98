import type { apiKeyFields } from '../../../functions/api-keys/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** An API key, as the interface shows it. */
export type ApiKey = ShownRecord<typeof apiKeyFields>;

/** The API keys of an instance. */
export const apiKeyType: RecordType<ApiKey> = {
  noun: 'API key',
  title: 'API keys',
  path: (instance) => at`instances/${instance}/api_keys/`,
  place: (instance) => at`/i/${instance}/keys`,
  keyOf: ({ id }) => id,
  nameOf: nameOfKey,
};

/** What an API key may do by itself. */
type ApiKeyFlag =
  | 'ignore_acl'
  | 'allow_user_create'
  | 'allow_group_create'
  | 'allow_anonymous_read';

/** The flags with a label and a sentence for each (docs/reference/keys.md#flags). */
export const flagTexts: readonly (readonly [flag: ApiKeyFlag, label: string, text: string])[] = [
  [
    'ignore_acl',
    'Ignore permissions',
    'Reads and changes all objects, users and devices. Keep such a key on a server.',
  ],
  ['allow_user_create', 'Register users', 'For apps in which people sign up.'],
  ['allow_group_create', 'Create groups', 'Creates groups of users.'],
  [
    'allow_anonymous_read',
    'Read without a user',
    'Reads objects that are open to others, and all devices, without a logged-in user.',
  ],
];

/** Returns what a key is called. */
export function nameOfKey({ id, description }: ApiKey): string {
  return description.trim() === '' ? `API key ${id}` : description;
}
