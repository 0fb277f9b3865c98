import * as v from 'valibot';
import { userSettingsFields } from '../../../../functions/user-settings/fields.ts';
import { readProviders } from '../../../../shared/users/settings/provider-input.ts';
import { isJsonObject } from '../../../../shared/values/json/json.ts';
import { read, reject, type ValueResult } from '../../../../shared/values/scalars.ts';
import { schemaOf } from '../../../../shared/values/values.ts';
import { type NamedMembers, type ProjectEntry, writableMembers } from './members.ts';
import type { ProjectState } from './state.ts';

/** A service of the section `users`. */
type Provider = Readonly<Record<string, unknown>>;

/** Names of variables with secrets. A file that was cloned can so send none of the other variables to a server. */
const variableName = /^USERS_SECRET_[A-Z0-9_]{1,60}$/;
const badSecret =
  'secret: a file has no secret, but the name of a variable of the environment: {env: USERS_SECRET_NAME}';

/** Members of the section `users`: a service names the variable of the environment that has its secret. */
export function userMembers(): NamedMembers {
  const { providers: _, ...members } = writableMembers(userSettingsFields);
  return { ...members, providers: { schema: schemaOf<unknown>(readNamed), initial: [] } };
}

function readNamed(input: unknown): ValueResult<unknown> {
  const all = providersIn(input);
  if (all.length === 0) return readProviders(input);
  const wrong = all.find(({ secret }) => secret !== undefined && variableOf(secret) === undefined);
  if (wrong !== undefined) return reject(badSecret);
  const checked = readProviders(all.map(({ secret: _secret, ...provider }) => provider));
  return checked.ok ? read(all) : checked;
}

function providersIn(value: unknown): readonly Provider[] {
  return Array.isArray(value) && value.every(isJsonObject) ? value : [];
}

function variableOf(secret: unknown): string | undefined {
  const form = v.strictObject({ env: v.pipe(v.string(), v.regex(variableName)) });
  const found = v.safeParse(form, secret);
  return found.success ? found.output.env : undefined;
}

/**
 * Returns the state of an instance with the names that the project has for secrets that the instance has: no response
 * shows a secret, so that only a missing one makes a difference.
 */
export function withSecretNames(instance: ProjectState, project: ProjectState): ProjectState {
  const entry = instance.get('users')?.get('users');
  if (entry === undefined) return instance;
  const named = providersIn(project.get('users')?.get('users')?.providers);
  const providers = providersIn(entry.providers).map(({ has_secret: has, ...provider }) => {
    const same = named.find((each) => isSame(each, provider));
    return has === true && same?.secret !== undefined
      ? { ...provider, secret: same.secret }
      : provider;
  });
  return new Map(instance).set('users', new Map([['users', { ...entry, providers }]]));
}

function isSame(one: Provider, other: Provider): boolean {
  return ['name', 'kind', 'issuer', 'client_id'].every((name) => one[name] === other[name]);
}

/** Returns the problems of variables that the environment lacks. */
export function missingSecrets(
  { providers }: ProjectEntry,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return providersIn(providers).flatMap(({ name, secret }) => {
    const variable = variableOf(secret);
    if (variable === undefined || environment[variable]) return [];
    return [`users.providers.${String(name)}: the environment has no variable ${variable}`];
  });
}

/** Returns a body with the secrets of the environment. */
export function usersToBody(
  { providers, ...body }: ProjectEntry,
  environment: Readonly<Record<string, string | undefined>>,
): ProjectEntry {
  if (providers === undefined) return body;
  const sent = providersIn(providers).map(({ secret, ...provider }) => {
    const variable = variableOf(secret);
    return variable === undefined ? provider : { ...provider, secret: environment[variable] };
  });
  return { ...body, providers: sent };
}
