import type { userSettingsFields } from '../../../functions/user-settings/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';

/** A service for log-ins by redirect, as the interface shows it. */
export interface Provider {
  readonly name: string;
  readonly kind: keyof typeof logInServices;
  readonly client_id: string;
  readonly has_secret: boolean;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly team_id?: string;
  readonly key_id?: string;
}

/** The text of a letter. */
export interface OwnLetter {
  readonly subject: string;
  readonly text: string;
}

/** The settings of the users of an instance, as the interface shows them. */
export type UserSettings = ShownRecord<
  typeof userSettingsFields,
  {
    readonly redirects: readonly string[];
    readonly providers: readonly Provider[];
    /** Texts of the instance; letters without one have that of the server. */
    readonly mails: Readonly<Partial<Record<LetterName, OwnLetter>>>;
  }
>;

/** Kinds of services. */
export const logInServices = {
  google: 'Google',
  apple: 'Apple',
  facebook: 'Facebook',
  github: 'GitHub',
  oidc: 'another one, by OpenID Connect',
} as const;

/** A letter to users: its title, and the variables of its text in addition to `app` and `email`. */
interface LetterKind {
  readonly title: string;
  readonly variables: readonly ('minutes' | 'link' | 'code')[];
}

/** Letters to users, in the order of their screen. */
export const letters = {
  register: { title: 'Confirm the address of a new account', variables: ['minutes', 'link'] },
  registered: { title: 'An address is registered again', variables: ['minutes', 'link'] },
  confirm: { title: 'Confirm another address', variables: ['minutes', 'link'] },
  reset: { title: 'Set a new password', variables: ['minutes', 'link'] },
  code: { title: 'A code', variables: ['minutes', 'code'] },
  changed: { title: 'The address was changed (to the old one)', variables: [] },
  deleted: { title: 'The account was deleted', variables: [] },
} as const satisfies Readonly<Record<string, LetterKind>>;

/** Name of a letter. */
export type LetterName = keyof typeof letters;

/** Returns the path of the settings. */
export function userSettingsPath(instance: string): RequestPath {
  return at`instances/${instance}/user_settings/`;
}

/** Props of a part of the settings. */
export interface SettingsPartProps {
  readonly instance: string;
  readonly settings: UserSettings;
  /** Sends changes, and shows the settings as they are then. */
  readonly onSave: (changes: object) => Promise<void>;
}
