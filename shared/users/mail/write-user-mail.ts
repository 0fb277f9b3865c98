import type { JobContext } from '../../jobs/jobs.ts';
import type { Mail } from '../../ports/ports.ts';
import type { InstanceData } from '../../table/records/records.ts';
import type { UserMailAbout, UserSettingsData } from '../../table/records/user-accounts.ts';
import { userTokenText } from '../tokens/user-tokens.ts';
import { decideLetter, type LetterDecision } from './decide-letter.ts';
import { appName, minutesOf, renderOrDefault, shownAddress } from './render-letter.ts';

/** Issues a code for an address, instead of an earlier one. */
export type IssueCode = (
  context: JobContext,
  about: UserMailAbout & { readonly use: NonNullable<UserMailAbout['use']> },
) => Promise<string>;

/** A mail to a user, and what it is written with. */
export interface UserMailCase {
  readonly about: UserMailAbout;
  readonly settings: UserSettingsData;
  readonly instance: InstanceData;
  readonly issueCode: IssueCode;
}

/** Pages of the interface for links, under the path of the instance. */
const pages = {
  register: 'user/email/confirm/',
  confirm: 'user/email/confirm/',
  reset: 'user/password/reset/confirm/',
};

/**
 * Writes a mail to a user, with a token or code that is made now.
 *
 * @returns undefined when there is nothing to send any more, by {@link decideLetter}
 */
export async function writeUserMail(
  context: JobContext,
  mail: UserMailCase,
): Promise<Mail | undefined> {
  const { about, settings, instance, issueCode } = mail;
  const decision = await decideLetter(context, about, settings);
  if (decision === undefined) return undefined;
  const { letter } = decision;
  const { use = 'log-in' } = about;
  const variables = {
    app: appName(instance),
    link: await linkOf(context, mail, decision),
    code: letter === 'code' ? await issueCode(context, { ...about, use }) : '',
    email: shownAddress(about.email),
    minutes: minutesOf(letter),
  };
  const own = settings.mails[letter];
  const tenant = { instance: about.instance, owner: instance.owner };
  return renderOrDefault(context, { letter, own, variables, to: about.email }, tenant);
}

/**
 * Returns the address of the page that uses a token: one that the instance allows, or a plain page of ours. The token is
 * in the fragment, which no server sees. The address begins with that of the interface, never with that of a request.
 */
async function linkOf(
  context: JobContext,
  { about, settings, instance }: UserMailCase,
  { letter, link }: LetterDecision,
): Promise<string> {
  if (link === undefined) return '';
  const { purpose, claims } = link;
  const token = await userTokenText(context, claims, minutesOf(letter) * 60);
  const plain = `${context.apiUrl()}/v1.1/instances/${instance.name}/${pages[purpose]}`;
  const isAllowed = about.redirect !== undefined && settings.redirects.includes(about.redirect);
  const [page] = (isAllowed ? about.redirect : plain).split('#');
  return `${page}#${new URLSearchParams({ token, purpose })}`;
}
