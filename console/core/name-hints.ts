/** Lengths of names, as the server demands them (docs/reference/requests.md#names-and-ids); a test compares them. */
export const nameLengths = {
  instance: { minLength: 5, maxLength: 64 },
  record: { minLength: 1, maxLength: 64 },
  class: { minLength: 1, maxLength: 50 },
  field: { minLength: 1, maxLength: 64 },
} as const;

const { instance, record, class: ofClass, field } = nameLengths;

/** What a name has to be. */
export const nameHints: Readonly<Record<keyof typeof nameLengths, string>> = {
  instance: `${instance.minLength} to ${instance.maxLength} letters, digits and single hyphens, beginning with a letter. Part of the API address.`,
  record: `Up to ${record.maxLength} letters, digits, - and _, beginning with a letter. It is part of the address.`,
  class: `Up to ${ofClass.maxLength} letters, digits and _, beginning with a letter. It cannot be changed later.`,
  field: `A field name has up to ${field.maxLength} letters, digits and _, beginning with a letter.`,
};

/** What the password of an account has to be. */
export const newPasswordHint = 'At least 8 characters.';
