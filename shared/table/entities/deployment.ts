import { ownerOfData } from '../../values/keys/data-ids.ts';
import { idKey } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type {
  AttemptsData,
  KnownAddressesData,
  MailPurpose,
  MailsSentData,
  UserMailCountData,
} from '../records/address-limits.ts';
import type { PollSlotData } from '../records/channels.ts';
import type {
  DataVersionData,
  FirstAccountData,
  StoreIdentityData,
} from '../records/deployment.ts';
import type {
  DeploymentIdData,
  ScriptFunctionData,
  ScriptSweepData,
} from '../records/functions.ts';
import type { SuspensionData } from '../records/instances/suspensions.ts';
import type { MailAbout, QueuedMailData, QueuedUserMail } from '../records/mails.ts';

const ofAttempts = (scope: string, name: string) => `ATTEMPTS#${scope}#${name}`;
const ofDeployment = () => 'DEPLOYMENT';

/** Attempts to log in by a name: from one address, or from all of them when it is undefined. */
export const attemptsEntity = entity<AttemptsData>('attempts').keyed(
  ofAttempts,
  '',
  (address: string | undefined) => (address === undefined ? 'ALL' : `ADDRESS#${address}`),
  { belongsTo: 'deployment' },
);

/** Attempts to log in from an address, by any name. */
export const attemptsFromEntity = entity<AttemptsData>('attempts').keyed(
  (scope: string, address: string) => `ATTEMPTSFROM#${scope}#${address}`,
  'ALL',
  { belongsTo: 'deployment' },
);

/** Addresses from which a name has logged in. */
export const knownAddressesEntity = entity<KnownAddressesData>('known-addresses').keyed(
  ofAttempts,
  'KNOWN',
  { belongsTo: 'deployment' },
);

/** Mails that were sent to an address; it expires. */
export const mailsSentEntity = entity<MailsSentData>('mails-sent').keyed(
  (address: string) => `MAILS#${address}`,
  '',
  (purpose: MailPurpose) => purpose,
  { belongsTo: 'deployment' },
);

/** A mail that waits for its mail server, or of which nobody knows that it arrived; it expires. */
export const queuedMailEntity = entity<QueuedMailData>('queued-mail').keyed(
  () => 'MAILQUEUE',
  '',
  (about: MailAbout | Pick<QueuedUserMail, 'instance' | 'mail'>) => {
    if ('mail' in about) return `user#${idKey(ownerOfData(about.instance))}#${about.mail}`;
    return about.purpose === 'invite'
      ? `${invitationMailPrefix(about.instance)}${idKey(about.invitation)}`
      : `${about.purpose}#${idKey(about.account)}`;
  },
  { belongsTo: 'deployment' },
);

/** Mails to users in a day: of an instance, or of all when it is undefined; it expires. */
export const userMailCountEntity = entity<UserMailCountData>('user-mail-count').keyed(
  (day: string) => `USERMAILS#${day}`,
  '',
  (instance: number | undefined) => (instance === undefined ? 'ALL' : idKey(ownerOfData(instance))),
  { belongsTo: 'deployment' },
);

/** Returns the beginning of the keys of an instance's invitation mails. */
export function invitationMailPrefix(instance: number): string {
  return `invite#${idKey(ownerOfData(instance))}#`;
}

/** Mark that the first account was created: the set-up code is used up. */
export const firstAccountEntity = entity<FirstAccountData>('first-account').keyed(
  ofDeployment,
  'FIRST',
  { belongsTo: 'deployment' },
);

/** Id of the deployment, from which names of script functions are derived, on AWS. */
export const deploymentIdEntity = entity<DeploymentIdData>('deployment-id').keyed(
  ofDeployment,
  'ID',
  { belongsTo: 'deployment' },
);

/** Version of the data; absent in a store of a release before there was one. */
export const dataVersionEntity = entity<DataVersionData>('data-version').keyed(
  ofDeployment,
  'VERSION',
  { belongsTo: 'deployment' },
);

/** Identity of the store, on one machine: the folder's other files name it. */
export const storeIdentityEntity = entity<StoreIdentityData>('store-identity').keyed(
  ofDeployment,
  'STORE',
  { belongsTo: 'deployment' },
);

/** Mark that functions are compared with scripts from now on. */
export const scriptSweepEntity = entity<ScriptSweepData>('script-sweep').keyed(
  ofDeployment,
  'SCRIPTSWEEP',
  { belongsTo: 'deployment' },
);

/** The Lambda function of a script. All are in one partition, which is scanned to compare functions with scripts. */
export const scriptFunctionEntity = entity<ScriptFunctionData>('script-function').keyed(
  () => 'SCRIPTFUNCTIONS',
  '',
  (instance: number, script: number) => `${idKey(instance)}#${idKey(script)}`,
  { belongsTo: 'deployment' },
);

/** One of the slots for polls that wait at the same time, on AWS; it expires when its process must be dead. */
export const pollSlotEntity = entity<PollSlotData>('poll-slot').keyed(
  (slot: number) => `POLLSLOT#${slot}`,
  'SLOT',
  { belongsTo: 'deployment' },
);

/** An instance that an operator has stopped; the records that requests and jobs read have a mark of it. */
export const suspensionEntity = entity<SuspensionData>('suspension').keyed(
  () => 'SUSPENDED',
  '',
  (instance: number) => idKey(ownerOfData(instance)),
  { belongsTo: 'deployment' },
);

/** The kinds of the deployment. */
export const deploymentKinds = [
  attemptsEntity,
  attemptsFromEntity,
  knownAddressesEntity,
  mailsSentEntity,
  queuedMailEntity,
  userMailCountEntity,
  firstAccountEntity,
  deploymentIdEntity,
  dataVersionEntity,
  storeIdentityEntity,
  scriptSweepEntity,
  scriptFunctionEntity,
  pollSlotEntity,
  suspensionEntity,
] as const;
