/** A user of an instance, as owners see it. */
export interface User {
  readonly id: number;
  readonly username: string;
  readonly user_key: string;
  readonly profile: { readonly id: number };
  readonly groups: readonly {
    readonly id: number;
    readonly name: string | null;
    readonly label: string;
  }[];
}

/** Flags of an API key, with what each allows. */
export const keyFlags = {
  allow_user_create: 'May create users: for apps in which people sign up by themselves.',
  allow_group_create: 'May create groups.',
  allow_anonymous_read: 'May read data of classes that everybody may read, without a user.',
  ignore_acl: 'Bypasses all permissions: for servers only, never in an app.',
} as const;

/** Name of a flag. */
export type KeyFlag = keyof typeof keyFlags;

/** An API key. */
export interface ApiKey extends Readonly<Record<KeyFlag, boolean>> {
  readonly id: number;
  readonly description: string;
  readonly api_key: string;
  readonly created_at: string;
}
