import * as v from 'valibot';
import type { UserProviderData } from '../../table/records/user-accounts.ts';
import { read, reject, type ValueResult } from '../../values/scalars.ts';

/** Maximum services of an instance. */
export const maxProviders = 10;

/** A service as a body has it; a secret of null is deleted, one that is absent stays. */
export interface SentProvider extends Omit<UserProviderData, 'secret'> {
  readonly secret?: string | null | undefined;
}

/** Names that other paths of log-ins have, with the kind that may have the name too. */
const takenNames: Readonly<Record<string, string>> = {
  code: '',
  guest: '',
  exchange: '',
  linkedin: '',
  twitter: '',
  facebook: 'facebook',
  'google-oauth2': 'google',
  github: 'github',
};

function matching(pattern: RegExp, message: string) {
  return v.pipe(v.string(message), v.regex(pattern, message));
}

const printable = /^[\x21-\x7e]{1,255}$/;
const id = matching(/^[A-Z0-9]{10}$/, 'It has 10 capital letters and digits.');
const shared = {
  name: matching(/^[a-z0-9-]{1,40}$/, 'It has at most 40 small letters, digits and hyphens.'),
  client_id: matching(printable, 'It has at most 255 characters, no spaces.'),
  secret: v.exactOptional(
    v.nullable(matching(/^[\t\n\r\x20-\x7e]{1,4096}$/, 'It has at most 4096 characters of ASCII.')),
  ),
  scopes: v.exactOptional(
    v.pipe(
      v.array(matching(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'Each has at most 100 characters.')),
      v.maxLength(20, 'There may be 20.'),
    ),
  ),
  /** As responses show it: clients send back what they have read. */
  has_secret: v.exactOptional(v.unknown()),
};
const issuer = v.pipe(
  v.string('It is no text.'),
  v.check(isIssuer, 'It must begin with https://, without user, query and fragment.'),
);

const provider = v.variant('kind', [
  v.strictObject({ ...shared, kind: v.literal('oidc'), issuer }),
  v.strictObject({ ...shared, kind: v.picklist(['google', 'github', 'facebook']) }),
  v.strictObject({ ...shared, kind: v.literal('apple'), team_id: id, key_id: id }),
]);

/** Reads the services of an instance for log-ins by redirect. */
export function readProviders(input: unknown): ValueResult<readonly SentProvider[]> {
  if (!Array.isArray(input)) return reject('A list of services is needed.');
  if (input.length > maxProviders) return reject(`There may be ${maxProviders} services.`);
  const providers: SentProvider[] = [];
  for (const [at, each] of input.entries()) {
    const reading = v.safeParse(provider, each, { abortEarly: true });
    if (!reading.success) return reject(`Service ${at + 1}: ${wordsOf(reading.issues[0])}`);
    const { has_secret: _, ...sent } = reading.output;
    const kind = Object.hasOwn(takenNames, sent.name) ? takenNames[sent.name] : undefined;
    if (kind !== undefined && kind !== sent.kind) {
      return reject(`Service ${at + 1}: name: "${sent.name}" is the name of something else.`);
    }
    if (providers.some(({ name }) => name === sent.name)) {
      return reject(`Service ${at + 1}: name: Another one has this name.`);
    }
    providers.push(sent);
  }
  return read(providers);
}

function wordsOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map(({ key }) => String(key)).join('.');
  if (path === undefined) return 'An object is needed.';
  if (issue.expected === 'never') return `${path}: This kind of service has no such member.`;
  if (issue.received === 'undefined') return `${path}: This field is required.`;
  if (path === 'kind') return 'kind: One of oidc, google, github, apple, facebook is needed.';
  return `${path}: ${issue.message}`;
}

/** The address of an issuer is compared as text: only what a parser leaves as it is may be one. */
function isIssuer(text: string): boolean {
  if (text.length > 512 || !/^https?:\/\/[A-Za-z0-9\-._~:%/[\]]+$/.test(text)) return false;
  const url = URL.parse(text);
  const isLocal = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1';
  const isSafe = url?.protocol === 'https:' || isLocal;
  return isSafe && (url?.href === text || url?.href === `${text}/`);
}
