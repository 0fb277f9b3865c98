import {
  readOnlyField as computed,
  defineFields,
  description,
  json,
  textField as text,
} from '../core/resource/field.ts';
import type { Fields } from '../core/routing/forms.ts';
import { describedFields, objectFields } from '../objects/object-fields.ts';
import { objectLinks } from '../objects/show-object.ts';
import { readJson } from '../values/json/json-values.ts';
import { recordId } from '../values/record-id.ts';
import { read } from '../values/scalars.ts';
import { slug } from '../values/text/slug.ts';
import { schemaOf } from '../values/values.ts';
import { userSettingsOf } from './settings/user-settings.ts';
import { groupLinks, profileClassOf, type UserContext, userLinks } from './show-user.ts';

/** Fields of a group (docs/reference/users-and-groups.md#groups). */
export const groupFields = defineFields({
  id: computed('integer'),
  name: {
    type: 'slug',
    writable: 'always',
    nullable: true,
    input: slug(),
    initial: null,
    putDefault: null,
    maxLength: 64,
  },
  label: text(64),
  description: description(),
});

const { expected_revision: _, ...profileObject } = objectFields;

/** Fields of a profile in its user's record; its user does not change (docs/reference/users-and-groups.md#profile). */
export const profileFields = defineFields({
  ...profileObject,
  owner: computed('field', { shows: 'integer' }),
});

/** Characters of a username. */
export const maxUsername = 64;

/**
 * Fields of a user (docs/reference/users-and-groups.md#user). The profile's own rules are checked when the class is
 * read.
 */
export const userFields = defineFields({
  id: computed('integer'),
  username: text(maxUsername, { required: true }),
  password: text(128, { required: true, writeOnly: true }),
  profile: {
    type: 'nested object',
    writable: 'always',
    // forms and some clients send it as JSON text; invalid JSON is rejected as no object
    input: schemaOf((input) => {
      const reading = readJson(input);
      return reading.ok ? reading : read(input);
    }),
    children: profileFields,
    links: objectLinks,
    isOpen: true,
    isShownAsNull: true, // in a list, when the user is deleted at that moment
  },
  groups: computed('list', {
    child: computed('nested object', { children: groupFields, links: groupLinks }),
  }),
  email: computed('email', { nullable: true, isOptional: true }),
  is_email_confirmed: computed('boolean', { isOptional: true }),
  guest_until: computed('datetime', { nullable: true, isOptional: true }),
  services: computed('list', { child: computed('string'), isOptional: true }),
  user_key: computed('field', { shows: 'string', isOptional: true }),
});

/** Returns the fields of users in an instance: its class of profiles adds its own, its settings those that are on. */
export function userFieldsAt(fields: Fields, context: UserContext): Fields {
  const { schema } = profileClassOf(context).data;
  const children = { ...profileFields, ...describedFields(schema) };
  const { email, is_email_confirmed, guest_until, services, user_key, ...others } = fields;
  const settings = userSettingsOf(context);
  return {
    ...others,
    profile: { ...userFields.profile, children },
    ...(settings.email !== 'off' && email && is_email_confirmed && { email, is_email_confirmed }),
    ...(settings.guests && guest_until && { guest_until }),
    ...(settings.providers.length > 0 && services && { services }),
    ...(user_key && { user_key }),
  };
}

/** Fields of a log-in. */
export const userLogInFields = defineFields({
  username: text(maxUsername, { required: true }),
  password: text(undefined, { required: true }),
});

/** Fields of a group as an entry of a user's groups. */
export const groupOfUserFields = defineFields({
  group: json(recordId(), {
    required: true,
    shows: 'integer',
    children: groupFields,
    links: groupLinks,
  }),
});

/** Fields of a user as an entry of a group's users. */
export const userOfGroupFields = defineFields({
  user: json(recordId(), {
    required: true,
    shows: 'integer',
    children: userFields,
    links: userLinks,
  }),
});
