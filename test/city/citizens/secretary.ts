import type { SMTPServerOptions } from 'smtp-server';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import type { Citizen, Life } from '../citizen.ts';

/** What the mail server does with mails, by the beginning of their address: to every second tenant it is hostile. */
const kinds = ['later', 'never', 'hang', 'lose'] as const;

/** Starts the mail server of a city. */
export async function openMails(): Promise<MailServer> {
  const refuse = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
  const options: SMTPServerOptions = {
    onRcptTo: ({ address }, _session, done) => {
      if (kindOf(address) === 'later') done(refuse(450));
      else if (kindOf(address) === 'never') done(refuse(550));
      else done();
    },
    onData: (stream, session, done) => {
      stream.resume().on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.received.push({ from: '', to, raw: '', isSecure: session.secure, user: undefined });
        const kind = kindOf(to[0] ?? '');
        if (kind === 'hang') return;
        if (kind === 'lose') return done(refuse(421));
        done(null);
      });
    },
  };
  const mails = await startMailServer(options);
  return mails;
}

const kindOf = (address: string) => address.split('-', 1)[0] ?? '';

interface Invited {
  readonly path: string;
  readonly email: string;
  readonly sinceMs: number;
}

/** Time in which a mail leaves that the mail server accepts, kills and the turns of others included. */
const boundMs = 60_000;
const most = 60; // an instance may send a hundred in an hour

/** Invites people by mail, through a server that is hostile to every second tenant. No mail is sent twice. */
export const secretary: Citizen = {
  name: 'secretary',
  homes: ['own', 'own'],
  pauseMs: 500,
  settle: async (life) => {
    const isHostile = Number(life.prefix.slice('secretary'.length)) % 2 === 1;
    const invited: Invited[] = [];
    let count = 0;
    const check = async () => {
      for (const each of invited.splice(0)) {
        if (!(await isOver(life, each, isHostile))) invited.push(each);
      }
    };
    return {
      act: async () => {
        if (count < most && invited.length < 5) {
          count += 1;
          invited.push(await invite(life, isHostile));
        }
        await check();
      },
      verify: check,
    };
  },
};

async function invite({ client, home, random }: Life, isHostile: boolean): Promise<Invited> {
  const kind = isHostile ? random.pick(kinds) : 'well';
  const email = `${kind}-${random.word(16)}@example.com`;
  const path = `${home.base}invitations/`;
  const call = { path, key: home.accountKey, body: { email, role: 'read' } };
  const { body } = await client.expect(call, 201);
  return { path: `${path}${body.id}/mail/`, email, sinceMs: performance.now() };
}

/** Checks a mail; tells whether nothing more will happen to it. */
async function isOver(
  { client, home, mails }: Life,
  { path, email, sinceMs }: Invited,
  isHostile: boolean,
): Promise<boolean> {
  const { body } = await client.expect({ path, key: home.accountKey }, 200);
  const times = mails.received.filter(({ to }) => to.includes(email)).length;
  if (times > 1 && kindOf(email) !== 'lose') client.broken(`a mail was sent twice: ${email}`);
  if (body.state === 'sent' && times === 0) client.broken(`a mail is called sent: ${email}`);
  if (isHostile) return body.state !== 'waiting' || kindOf(email) === 'later';
  if (body.state === 'failed') client.broken(`a mail has failed: ${email}: ${body.error}`);
  if (body.state !== 'waiting') return true;
  if (performance.now() - sinceMs > boundMs) client.broken(`a mail takes too long: ${email}`);
  return false;
}
