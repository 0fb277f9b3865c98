import type { apiKeyFields } from '../../../functions/api-keys/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
/** An API key, as the interface shows it. */
export type ApiKey = ShownRecord<typeof apiKeyFields>;

/** What an API key may do by itself. */
export type ApiKeyFlags = Pick<
  ApiKey,
  'ignore_acl' | 'allow_user_create' | 'allow_group_create' | 'allow_anonymous_read'
>;

/** The flags with a sentence for each (docs/reference/keys.md#flags). */
export const flagTexts: readonly (readonly [flag: keyof ApiKeyFlags, text: string])[] = [
  [
    'ignore_acl',
    'Reads and changes all objects, users and devices, whatever their permissions. Keep such a key on a server.',
  ],
  ['allow_user_create', 'Registers users: for apps in which people sign up.'],
  ['allow_group_create', 'Makes groups of users.'],
  [
    'allow_anonymous_read',
    'Reads, without a user, objects that are open to others, and all devices.',
  ],
];

/** Returns what a key is called. */
export function nameOfKey({ id, description }: ApiKey): string {
  return description.trim() === '' ? `API key ${id}` : description;
}
