/**
 * Field messages, each written once. Clients show them to people, some compare them, so the words are part of the
 * interface (docs/reference/errors.md#field-messages).
 */
export const messages = {
  required: 'This field is required.',
  null: 'This field may not be null.',
  blank: 'This field may not be blank.',
  unique: 'This field must be unique.',
  tooManyIds: 'Too many ids.',
  notString: 'Not a valid string.',
  /** About a lone surrogate, such as what is left of an emoji that was cut in two. */
  halfCharacter: (code: number) =>
    `Not valid text: \\u${code.toString(16)} is half of a character.`,
  notInteger: 'A valid integer is required.',
  integerTooLong: 'String value too large.',
  /** About an integer that a double does not give back; long ones are cut. */
  inexact: (digits: string) =>
    `The integer ${digits.length > 40 ? `${digits.slice(0, 40)}…` : digits} would lose digits: send it as text.`,
  notNumber: 'A valid number is required.',
  notBoolean: 'Not a valid boolean.',
  notContentType: 'Not a valid content_type.',
  notEmail: 'Enter a valid email address.',
  notJson: 'Not a valid JSON string.',
  notDatetime:
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.',
  notChallenge: 'It has 43 letters of base64url.',
  mailDenied: 'The operator of this server has not allowed mail to users.',
  noData: 'No data provided',
  instanceNameCharacters: 'Enter a valid value consisting of letters, numbers, hyphens.',
  channelCharacters: 'Enter a valid value consisting of letters, numbers, underscores, hyphens.',
  doubleHyphen: 'Double hyphens are reserved.',
  maxLength: (limit: number) => `Ensure this field has no more than ${limit} characters.`,
  minLength: (limit: number) => `Ensure this field has at least ${limit} characters.`,
  /** Names of instances and classes count differently: the message contains the length that was sent. */
  nameTooLong: (limit: number, length: number) =>
    `Ensure this value has at most ${limit} characters (it has ${length}).`,
  maxValue: (limit: number) => `Ensure this value is less than or equal to ${limit}.`,
  minValue: (limit: number) => `Ensure this value is greater than or equal to ${limit}.`,
  badBoolean: (word: string) => `"${word}" is not a valid boolean.`,
  badChoice: (word: string) => `"${word}" is not a valid choice.`,
  noSuchPk: (id: string | number) => `Invalid pk "${id}" - object does not exist.`,
  noSuchName: (name: string) => `Object with name=${name} does not exist.`,
  roomRequired: 'This field is required for channels with separate rooms.',
  channelRoomRequired: 'Channel room field is required for channels with separate rooms.',
  commaList: 'Enter a comma separated list.',
  badPkType: (typeName: string) => `Incorrect type. Expected pk value, received ${typeName}.`,
  tooManyItems: (limit: number) => `Ensure this field has no more than ${limit} elements.`,
  notList: (typeName: string) => `Expected a list of items but got type "${typeName}".`,
  notDictionary: (typeName: string) => `Invalid data. Expected a dictionary, but got ${typeName}.`,
} as const;
