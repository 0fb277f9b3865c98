import type { Mail, Platform } from '../../ports/ports.ts';
import { readTogether } from '../../store/entity.ts';
import { accountEntity, passwordEntity } from '../../table/entities/accounts.ts';
import { instanceEntity, invitationEntity } from '../../table/entities/instances.ts';
import type { MailAbout } from '../../table/records/mails.ts';
import { invitationKey } from '../keys.ts';
import { mailToken, mailUid, tokenSubject } from '../rules/mail-tokens.ts';
import { layOutMail } from './mail-layout.ts';

/** The parts of a platform that mails are written with. */
export type MailSources = Pick<Platform, 'store' | 'secrets' | 'clock' | 'apiUrl'>;

/**
 * Writes a mail, with a token that is made now.
 *
 * @param to the address for which it was requested
 * @returns undefined when there is nothing to send any more: the account has another address or is confirmed, the
 *   invitation is closed, the instance is deleted or suspended
 */
export function writeMail(
  sources: MailSources,
  about: MailAbout,
  to: string,
): Promise<Mail | undefined> {
  return about.purpose === 'invite'
    ? writeInvitation(sources, about, to)
    : writeProof(sources, about, to);
}

const proofs = {
  activate: {
    subject: 'Confirm your e-mail address',
    request: 'This address was entered for an account at',
    action: 'Please confirm within three days that it is yours.',
    label: 'Confirm the address',
    screen: 'activate',
    path: '/v1.1/account/activate/',
  },
  reset: {
    subject: 'Set a new password',
    request: 'A new password was requested for your account at',
    action: 'You can set it within three days. Until then your password stays as it is.',
    label: 'Set a new password',
    screen: 'reset-password/confirm',
    path: '/v1.1/account/password/reset/confirm/',
  },
} as const;

/** Writes a mail that proves that the reader owns the address of an account. */
async function writeProof(
  { store, secrets, clock, apiUrl }: MailSources,
  { purpose, account }: Exclude<MailAbout, { purpose: 'invite' }>,
  to: string,
): Promise<Mail | undefined> {
  const found = await readTogether(store, {
    item: accountEntity.at(account),
    password: passwordEntity.at(account),
  });
  const data = found.item?.data;
  if (data === undefined || data.email !== to) return undefined;
  if (purpose === 'activate' && data.is_active) return undefined;
  const { secret } = await secrets.current();
  const { subject, request, action, label, screen, path } = proofs[purpose];
  const uid = mailUid(account);
  const state = tokenSubject(purpose, data, found.password?.data.hash);
  const token = mailToken(secret, state, clock.micros() / 1_000_000);
  return layOutMail({
    to,
    subject,
    paragraphs: [`${request} ${apiUrl()}.`, action],
    link: { label, url: consoleLink(apiUrl(), screen, { uid, token }) },
    forPrograms: {
      intro: `For programs: send these values to ${path}`,
      lines: [`uid: ${uid}`, `token: ${token}`],
    },
  });
}

/** Writes the mail of an open invitation. */
async function writeInvitation(
  { store, secrets, apiUrl }: MailSources,
  { instance, invitation }: Extract<MailAbout, { purpose: 'invite' }>,
  to: string,
): Promise<Mail | undefined> {
  const { item, living } = await readTogether(store, {
    item: invitationEntity.at(instance, invitation),
    living: instanceEntity.at(instance),
  });
  if (item?.data.state !== 'new' || item.data.email !== to) return undefined;
  if (living === undefined || living.data.isSuspended === true) return undefined;
  const { inviter, role } = item.data;
  const { name } = living.data;
  const key = await invitationKey(secrets, instance, item.data);
  return layOutMail({
    to,
    subject: `You are invited to ${name}`,
    paragraphs: [
      `${inviter} invites you to the instance ${name} at ${apiUrl()}, with the role ${role}.`,
      'You can accept with an account that you have, or make one.',
    ],
    link: {
      label: 'Open the invitation',
      url: consoleLink(apiUrl(), 'invitation', { key }),
    },
    forPrograms: {
      intro:
        'For programs: send this key as invitation_key to /v1.1/account/invitations/accept/, or with a registration to /v1.1/account/register/',
      lines: [key],
    },
  });
}

/** Returns the address of a screen of the console. Its parameters are in the fragment, which no server sees. */
function consoleLink(
  apiUrl: string,
  screen: string,
  parameters: Readonly<Record<string, string>>,
): string {
  return `${apiUrl}/console/#/${screen}?${new URLSearchParams(parameters)}`;
}
