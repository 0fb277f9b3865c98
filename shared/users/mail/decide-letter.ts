import type { Platform } from '../../ports/ports.ts';
import { apiKeyEntity } from '../../table/entities/instances.ts';
import { userEntity } from '../../table/entities/users.ts';
import type { UserData } from '../../table/records/records.ts';
import type {
  UserLetter,
  UserMailAbout,
  UserSettingsData,
} from '../../table/records/user-accounts.ts';
import { findUserByAddress } from '../addresses/user-address.ts';
import type { UserTokenClaims } from '../tokens/user-tokens.ts';

/** Purpose of the link in a letter. */
export type LinkPurpose = 'register' | 'confirm' | 'reset';

/** Which letter is written to an address. */
export interface LetterDecision {
  readonly letter: UserLetter;
  /** Its link; absent: it has none. */
  readonly link?: {
    readonly purpose: LinkPurpose;
    readonly claims: Omit<UserTokenClaims, 'at' | 'nonce' | 'until'>;
  };
}

type Sources = Pick<Platform, 'store'>;

/**
 * Looks an address up and decides which letter it gets (docs/reference/user-accounts.md#mails).
 *
 * @returns undefined when no mail is sent: a new password for an unknown address, an address that is confirmed already
 */
export async function decideLetter(
  { store }: Sources,
  about: UserMailAbout,
  settings: UserSettingsData,
): Promise<LetterDecision | undefined> {
  const { purpose } = about;
  if (purpose === 'changed' || purpose === 'deleted') return { letter: purpose };
  if (settings.email === 'off' && !settings.codes) return undefined;
  const holder = (await findUserByAddress(store, about.instance, about.email))?.data;
  switch (purpose) {
    case 'register':
    case 'confirm':
      return decideProof({ store }, about, holder);
    case 'reset':
      return holder && linked('reset', about, { purpose: 'reset', user: holder });
    case 'code':
      return (await mayHaveCode(store, about, holder)) ? { letter: 'code' } : undefined;
  }
}

async function decideProof(
  { store }: Sources,
  about: UserMailAbout,
  holder: UserData | undefined,
): Promise<LetterDecision | undefined> {
  const purpose = about.purpose === 'confirm' ? 'confirm' : 'register';
  const user =
    about.user === 0 ? undefined : (await userEntity.read(store, about.instance, about.user))?.data;
  if (about.user !== 0 && !isUnchanged(about, user)) return undefined; // deleted in the meantime, or has another password
  if (holder === undefined) {
    if (purpose === 'confirm' && user === undefined) return undefined;
    return linked(purpose, about, { purpose, user });
  }
  const isOwn = user === undefined ? purpose === 'confirm' : user.id === holder.id;
  if (!isOwn) return linked('registered', about, { purpose: 'reset', user: holder });
  if (holder.isEmailConfirmed === true) return undefined;
  return linked('confirm', about, { purpose: 'confirm', user: holder });
}

/** Checks whether a user is still as it was when it requested a mail: the mail may have waited for a day. */
function isUnchanged({ asked }: UserMailAbout, user: UserData | undefined): boolean {
  if (user === undefined || asked === undefined) return user !== undefined;
  return user.generation === asked.generation && (user.passwordAt ?? 0) < asked.at;
}

function linked(
  letter: UserLetter,
  { instance, key, email }: UserMailAbout,
  { purpose, user }: { readonly purpose: LinkPurpose; readonly user: UserData | undefined },
): LetterDecision {
  const { id = 0, generation = 0 } = user ?? {};
  return {
    letter,
    link: { purpose, claims: { purpose, instance, key, user: id, generation, email } },
  };
}

/** Checks whether an address gets a code: that of a user, or one that becomes a user's. */
async function mayHaveCode(
  store: Platform['store'],
  { instance, key, use, user }: UserMailAbout,
  holder: UserData | undefined,
): Promise<boolean> {
  if (use === 'delete') return holder !== undefined && holder.id === user;
  if (holder !== undefined) return true;
  const found = (await apiKeyEntity.read(store, instance, key))?.data;
  return found !== undefined && (found.allow_user_create || found.ignore_acl);
}
