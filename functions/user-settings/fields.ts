import { computed, defineFields } from '../../shared/core/family.ts';
import { choiceField, flagField, json } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import {
  confirmModes,
  emailModes,
  providerKinds,
  userLetters,
} from '../../shared/table/records/user-accounts.ts';
import { readMailTexts } from '../../shared/users/settings/mail-texts.ts';
import { readProviders } from '../../shared/users/settings/provider-input.ts';
import { readRedirects } from '../../shared/users/settings/redirect-address.ts';
import { readJson } from '../../shared/values/json/json-values.ts';
import type { ValueResult } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';

/** Accepts JSON, or its text as forms have it. */
function jsonOf<T>(reader: (value: unknown) => ValueResult<T>) {
  return schemaOf<T>((input) => {
    const reading = readJson(input);
    return reading.ok ? reader(reading.value) : reading;
  });
}

const flag = { ...flagField(), putDefault: false } as const;
const optionalText: Field = { ...computed('string'), isOptional: true };

const provider: Field = computed('nested object', {
  children: {
    name: computed('string'),
    kind: computed('choice', { choices: providerKinds }),
    client_id: computed('string'),
    issuer: optionalText,
    scopes: computed('list', { child: computed('string'), isOptional: true }),
    team_id: optionalText,
    key_id: optionalText,
    has_secret: computed('boolean'),
  },
});

const letter: Field = computed('nested object', {
  isOptional: true,
  children: { subject: computed('string'), text: computed('string') },
});

/** Fields of the settings of users (docs/reference/user-accounts.md#settings). */
export const userSettingsFields = defineFields({
  email: choiceField(emailModes, 'off'),
  confirmed: choiceField(confirmModes, 'optional'),
  guests: flag,
  codes: flag,
  redirects: {
    ...json(jsonOf(readRedirects), { putDefault: [] }),
    type: 'list',
    child: computed('string'),
  },
  providers: { ...json(jsonOf(readProviders), { putDefault: [] }), type: 'list', child: provider },
  mails: {
    ...json(jsonOf(readMailTexts), { putDefault: {} }),
    type: 'nested object',
    children: Object.fromEntries(userLetters.map((name) => [name, letter])),
  },
});
