import { setUpCode } from '../../shared/accounts/keys.ts';
import { readLastBackups } from '../../shared/platforms/local/backup/work-folder.ts';
import { readScheduledBackups } from '../../shared/platforms/local/environment.ts';
import type { LocalPlatform } from '../../shared/platforms/local/platform.ts';
import { firstAccountEntity } from '../../shared/table/entities/deployment.ts';

/** Returns the text that an operator sees at the start. */
export async function greet(
  platform: LocalPlatform,
  {
    url,
    browserUrl,
    described,
    mails,
  }: Readonly<Record<'url' | 'browserUrl' | 'described' | 'mails', string>>,
): Promise<string> {
  const { folder, settings, push } = platform;
  const code = await openSetUpCode(platform);
  const reachable = reachableUrl(url);
  const account = {
    email: 'you@example.com',
    password: 'choose one',
    ...(settings.registration === 'closed' && { invitation_key: code ?? '<your invitation>' }),
  };
  const lines = [
    `Groundwork listens on ${url}`,
    `In a browser: ${browserUrl}/console/`,
    folder === undefined ? 'Data: in memory, gone when the server ends' : `Data: ${folder}`,
    describePush(push),
    mails,
    ...(await describeBackups(folder)),
    `Registration: ${settings.registration === 'local' ? 'open to this machine' : settings.registration}`,
    described,
    ...adviseNode(process.versions.node),
    ...adviseUser(),
    ...(code === undefined ? [] : describeSetUp(code, browserUrl)),
    '',
    'Make an account, then list your instances with the account_key of the response:',
    `  curl ${reachable}/v1.1/account/register/ -H 'Content-Type: application/json' -d '${JSON.stringify(account)}'`,
    `  curl ${reachable}/v1.1/instances/ -H 'X-API-KEY: <account_key>'`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns a line about what happens to pushes. */
function describePush({ mode, outbox }: LocalPlatform['push']): string {
  return mode === 'send'
    ? 'Pushes are sent to Google and Apple, where an instance has credentials'
    : `Pushes are written to ${outbox}, not sent (GROUNDWORK_PUSH_MODE=send sends them)`;
}

/** Returns a line about the backups by schedule, if a target is set. */
async function describeBackups(folder: string | undefined): Promise<readonly string[]> {
  const { target, schedule } = readScheduledBackups() ?? {};
  if (folder === undefined || target === undefined) return [];
  const { success } = await readLastBackups(folder);
  const last = success === undefined ? 'there is none yet' : `the last one is of ${success.at}`;
  return [`Backups: to ${target}, by the schedule ${schedule} (UTC); ${last}`];
}

/** Returns a line about a version of Node that has no maintainers any more. */
function adviseNode(version: string): readonly string[] {
  const major = version.split('.')[0];
  return major === '20' ? ['Node 20 gets no security fixes any more: use Node 24'] : [];
}

/** Returns a line about a server that runs as root. */
function adviseUser(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['Warning: the server runs as root. Give it a user of its own: docs/guides/vps.md'];
}

/** Returns lines about the code for the first account, with the link that opens its form. */
function describeSetUp(code: string, browserUrl: string): readonly string[] {
  return [
    `Set-up code, for the first account only: ${code}`,
    `  Create it in a browser: ${browserUrl}/console/#/sign-up?code=${code}`,
  ];
}

/** Returns an address that this machine can reach, where the server listens on all of its addresses. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Returns the one-time code for the first account; undefined when none is needed or an account exists. */
async function openSetUpCode(platform: LocalPlatform): Promise<string | undefined> {
  const { settings, store, secrets } = platform;
  if (settings.registration !== 'closed') return undefined;
  const [first] = await store.get([firstAccountEntity.key()]);
  return first === undefined ? setUpCode(secrets) : undefined;
}
