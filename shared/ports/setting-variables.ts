import * as v from 'valibot';

/** Variables of a process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the environment of this process. */
export function processVariables(): Variables {
  // biome-ignore lint/style/noProcessEnv: the one reader of the environment
  return process.env;
}

/** A setting of any source: its valid values, and its default. */
export interface Setting {
  readonly value: v.GenericSchema;
}

/** A setting that is a variable of the environment. */
export interface SettingVariable<Value = v.GenericSchema> {
  readonly variable: string;
  readonly value: Value;
  /** Its name for `-c` of a deployment, which sets the variable; undefined: no deployment does. */
  readonly context?: string | undefined;
  /** True for a value that nobody may see. */
  readonly isSecret?: boolean;
  /** How every account may see its value; absent: only the operator may. */
  readonly publicTexts?: PublicTexts;
}

/** What a setting that every account may see means, and its default in words where `value` lacks one. */
interface PublicTexts {
  readonly meaning: string;
  readonly otherwise?: string;
}

/** A setting of the server as accounts see it (docs/reference/responses.md#settings). */
export interface PublicSetting {
  /** Name of its variable or option. */
  readonly name: string;
  /** As it was set, else its default; null: it has none. */
  readonly value: string | null;
  readonly meaning: string;
}

/** Settings by their names in code. */
export type SettingGroup<Kind = SettingVariable> = Readonly<Record<string, Kind>>;

/**
 * Declares a setting. Readers, types, usage texts and docs/reference/settings.md follow from it; the last one shows its
 * comment, whose `@defaultValue` is for defaults that `value` lacks.
 */
export const setting = <Value>(
  variable: string,
  value: Value,
  context?: string,
): SettingVariable<Value> => ({ variable, value, context });

/** Declares a setting that nobody may see. */
export const secretSetting = <Value>(variable: string, value: Value): SettingVariable<Value> => ({
  variable,
  value,
  isSecret: true,
});

/** Lets every account see the value of a setting, which must be no address, path, host or key. */
export const publicSetting = <Value>(
  shown: SettingVariable<Value>,
  meaning: string,
  otherwise?: string,
): SettingVariable<Value> => ({
  ...shown,
  publicTexts: { meaning, ...(otherwise !== undefined && { otherwise }) },
});

/** Returns the settings of a group that every account may see, with the values that variables give them. */
export function listPublic(group: SettingGroup, variables: Variables): readonly PublicSetting[] {
  return Object.values(group).flatMap(({ publicTexts, variable: name, value }) => {
    if (publicTexts === undefined) return [];
    const { meaning, otherwise = defaultOf({ value }) } = publicTexts;
    return [{ name, value: variables[name] || (otherwise ?? null), meaning }];
  });
}

/** Returns the default of a setting as a text; undefined when it has none. */
export function defaultOf({ value }: Setting): string | undefined {
  return String(v.getDefault(value) ?? '') || undefined;
}

/** Returns the valid values of a setting as its error names them; undefined when it takes any text. */
export function validSettings({ value }: Setting): string | undefined {
  return v.safeParse(value, 'an invalid value\n').issues?.[0].message;
}

/** Values of a group of settings. */
export type SettingValues<Group extends SettingGroup<Setting>> = Readonly<
  v.InferOutput<v.ObjectSchema<{ readonly [Name in keyof Group]: Group[Name]['value'] }, undefined>>
>;

/** A whole number within `min` and `max`, both inclusive. */
export const whole = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, `a whole number from ${min} to ${max}`),
    v.transform(Number),
    v.minValue(min, `at least ${min}`),
    v.maxValue(max, `at most ${max}`),
  );

/** A variable with a whole number within `min` and `max`, both inclusive. */
export const wholeNumber = (min: number, max: number, otherwise: number) =>
  v.optional(whole(min, max), String(otherwise));

/** A variable with one of some words. */
export const choiceVariable = <const Names extends readonly [string, ...string[]]>(
  names: Names,
  otherwise: Names[number],
) => v.optional(v.picklist(names, `one of ${names.join(', ')}`), otherwise);

/** Converts an empty text to undefined. */
export const orUndefined = v.transform((text: string) => text || undefined);

/** A variable with any text; undefined when absent or empty. */
export const anyText = v.pipe(v.optional(v.string(), ''), orUndefined);

/** A variable with a text that matches, as the empty one must; undefined when absent or empty. */
export const matchingText = (pattern: RegExp, message: string) =>
  v.pipe(v.optional(v.string(), ''), v.regex(pattern, message), orUndefined);

/**
 * Parses the settings of a group.
 *
 * @param givenFor returns what is given for a setting
 * @param titleOf returns how a message names a setting
 * @param Failure error to throw for an invalid one; its message names the setting and its valid values
 */
export function parseSettings<Group extends SettingGroup<Setting>>(
  group: Group,
  givenFor: (name: string) => unknown,
  titleOf: (name: string) => string,
  Failure: new (message: string) => Error,
): SettingValues<Group> {
  const members = Object.entries(group);
  const schema = v.object(Object.fromEntries(members.map(([name, { value }]) => [name, value])));
  const parsed = v.safeParse(
    schema,
    Object.fromEntries(members.map(([name]) => [name, givenFor(name)])),
  );
  if (parsed.success) return parsed.output as SettingValues<Group>; // of the same members
  const [issue] = parsed.issues;
  throw new Failure(`${titleOf(String(v.getDotPath(issue)))} takes ${issue.message}`);
}

/** Parses a group of settings from variables, as {@link parseSettings}. */
export function readVariables<Group extends SettingGroup>(
  group: Group,
  variables: Variables,
  Failure: new (message: string) => Error,
): SettingValues<Group> {
  const nameOf = (name: string) => group[name]?.variable ?? name;
  return parseSettings(group, (name) => variables[nameOf(name)], nameOf, Failure);
}
