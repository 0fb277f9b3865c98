/**
 * Messages about classes, their schemas and the values of data objects, each written once. The words are part of
 * the interface (docs/reference/classes.md#schema-validation, docs/reference/objects.md#errors-by-type).
 */
export const dataMessages = {
  invalidFormat: (name: string) => `${name} passed in invalid format.`,
  tooManyKeys: (limit: number) => `Too many keys defined (exceeds ${limit}).`,
  keyTooLong: (limit: number) => `Too long key defined (exceeds ${limit}).`,
  valueTooLong: (key: string, limit: number) =>
    `Too long value defined for key ${key} (exceeds ${limit}).`,
  keyReserved: (key: string) => `Reserved key "${key}" used.`,
  objectTooBig: (limit: number) => `Too big object defined (exceeds ${limit}).`,

  nameStart: 'Value has to start with a letter.',
  nameEnd: 'Value has to end with a letter or a number.',
  nameReserved: 'Unable to use that value. Please choose a different one.',
  classNameCharacters: 'Enter a valid value consisting of letters, numbers, underscores.',
  slugCharacters: 'Enter a valid value consisting of letters, numbers, underscores, hyphens.',

  tooManyFields: (limit: number) => `Too many fields defined (exceeds ${limit}).`,
  inField: (name: string, position: number, message: string) =>
    `Error processing field definition "${name}" #${position}: ${message}`,
  nameAndType: 'Field name and type is required.',
  fieldNameType: 'Invalid type of field name. Expected string.',
  fieldNameLong: (limit: number) => `Value of field name is too long, maximum length is ${limit}.`,
  fieldNameShort: 'Value of field name is too short, minimum length is 1.',
  fieldNameCharacters: (name: string) =>
    `Wrong characters used in field name "${name}". Allowed characters are: letters, numbers and underscores. Name has to start with a letter.`,
  fieldNameReserved: (name: string) => `Field name "${name}" is reserved.`,
  fieldTypeType: 'Invalid type of field type. Expected string.',
  fieldTypeUnknown: (types: readonly string[]) =>
    `Invalid field type value. Possible types: ${types.join(', ')}.`,
  fieldKeys: (type: string, keys: readonly string[]) =>
    `Field ${type} definition can only consist of ${keys.join(', ')}.`,
  fieldRepeated: (name: string) => `Field "${name}" defined more than once.`,
  indexFlag: (flag: 'order index' | 'filter index') =>
    `Invalid type of field "${flag}". Expected boolean.`,
  privateFlag: 'Invalid type of field "private". Expected boolean.',
  thumbSizes:
    'Invalid value of field "thumbs". Expected at most 8 different sizes, such as "300x200" or "300x0", of at most 2000 pixels.',
  uniqueOnOld: 'Unique index can only be set on a new field. Delete field first.',
  tooManyIndexes: (limit: number) => `Too many indexes defined (exceeds ${limit}).`,
  tooManyGeopoints: (limit: number) =>
    `Too many indexes defined on field type geopoint (exceeds ${limit}).`,
  targetMissing: 'Target must specify class name or "self".',
  targetEmpty: 'Invalid value of target. Expected non-empty string.',
  targetUsers: 'Target cannot be set to "users". Use "user" instead.',
  targetUnknown: 'Class specified by target is missing.',

  notFile: 'The submitted data was not a file. Check the encoding type on the form.',
  emptyFile: 'The submitted file is empty.',
  extensionTooLong: (limit: number) =>
    `File provided has too long extension. Max ${limit} characters.`,
  badFileUrl: 'File URL is invalid.',
  fileMissing: 'Existing file does not exist.',
  targetObjectMissing: 'Target with specified id does not exist.',
  targetClassMissing: 'Target class does not exist.',
  notRelation: 'Not a valid relation.',
  relationMembers: 'Relation can only contain integers (object ids).',
  relationTooLong: (limit: number) => `Relation length limit exceeded (${limit}).`,
  notArray: 'Not a valid array.',
  arrayMembers: 'Array can only contain strings, booleans, integers and floats.',
  notObject: 'Not a valid object.',
  notGeopoint: 'Not a valid geopoint.',
  classMigrating: 'Cannot modify class. Please wait until migration process has finished.',
  objectTooLarge: 'Object maximum size exceeded.',

  alreadyMember: 'User is already a part of that group.',
} as const;
