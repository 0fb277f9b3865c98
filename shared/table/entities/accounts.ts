import { ownerOfData } from '../../values/keys/data-ids.ts';
import { idKey } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type { ActiveBackupData, BackupData, BackupReaderData } from '../records/backups.ts';
import type { InvitedData } from '../records/instances/invitations.ts';
import type {
  AccountData,
  EmailData,
  MemberData,
  MetadataData,
  OwnedData,
  PasswordData,
  SocialData,
} from '../records/records.ts';
import type { AccountCodesData } from '../records/user-accounts.ts';

const ofEmail = (email: string) => `EMAIL#${email}`;
const ofAccount = (account: number) => `ACCOUNT#${account}`;

/** Owner of an e-mail address. */
export const emailEntity = entity<EmailData>('email').keyed(ofEmail, 'ACCOUNT', {
  belongsTo: 'account',
});

/** An administrator of instances. */
export const accountEntity = entity<AccountData>('account').keyed(ofAccount, 'ACCOUNT', {
  belongsTo: 'account',
});

/** An account's password, hashed; separate from the record that every request reads. */
export const passwordEntity = entity<PasswordData>('password').keyed(ofAccount, 'PASSWORD', {
  belongsTo: 'account',
});

/** Free data of an account. */
export const accountMetadataEntity = entity<MetadataData>('metadata').keyed(ofAccount, 'METADATA', {
  belongsTo: 'account',
});

/** Codes with which other clients log in to an account; this one item enforces the limit on their number, and expires. */
export const accountCodesEntity = entity<AccountCodesData>('account-codes').keyed(
  ofAccount,
  'LOGINCODES',
  { belongsTo: 'account' },
);

/** An account by its identity at another service. */
export const socialEntity = entity<SocialData>('social').keyed(
  (backend: string, id: string) => `SOCIAL#${backend}#${id}`,
  'ACCOUNT',
  { belongsTo: 'account' },
);

/** Membership of an account in an instance, by account. */
export const memberEntity = entity<MemberData>('member').keyed(
  ofAccount,
  'MEMBER#',
  (instance: number) => idKey(ownerOfData(instance)),
  { belongsTo: 'account' },
);

/** The instances that an account owns; this one item enforces the limit on their number. */
export const ownedEntity = entity<OwnedData>('owned').keyed(ofAccount, 'OWNED', {
  belongsTo: 'account',
});

/**
 * An invitation by the e-mail that it is addressed to, until it has an account. It may still point to an invitation that
 * is no longer open: readers check its state.
 */
export const invitedEmailEntity = entity<InvitedData>('invited-email').keyed(
  ofEmail,
  'INVITATION#',
  idKey,
  { belongsTo: 'account' },
);

/** An invitation by the account that it is addressed to. */
export const invitedAccountEntity = entity<InvitedData>('invited-account').keyed(
  ofAccount,
  'INVITATION#',
  idKey,
  { belongsTo: 'account' },
);

/** A backup, by the account that made it. */
export const backupEntity = entity<BackupData>('backup').keyed(ofAccount, 'BACKUP#', idKey, {
  belongsTo: 'account',
});

/** The active backup of an account. */
export const activeBackupEntity = entity<ActiveBackupData>('active-backup').keyed(
  ofAccount,
  'ACTIVEBACKUP',
  { belongsTo: 'account' },
);

/** An active restore of a backup into an instance, by the account that made the backup. */
export const backupReaderEntity = entity<BackupReaderData>('backup-reader').keyed(
  ofAccount,
  'RESTOREOF#',
  (backup: number, instance: number) => `${idKey(backup)}#${idKey(ownerOfData(instance))}`,
  { belongsTo: 'account' },
);

/** The kinds of accounts. */
export const accountKinds = [
  emailEntity,
  accountEntity,
  passwordEntity,
  accountMetadataEntity,
  accountCodesEntity,
  socialEntity,
  memberEntity,
  ownedEntity,
  invitedEmailEntity,
  invitedAccountEntity,
  backupEntity,
  activeBackupEntity,
  backupReaderEntity,
] as const;
