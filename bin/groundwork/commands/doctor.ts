import { join } from 'node:path';
import {
  type ClientResponse,
  ResponseError,
  readResponse,
} from '../../../shared/clients/client.ts';
import {
  type LastBackups,
  readLastBackups,
} from '../../../shared/platforms/local/backup/work-folder.ts';
import { requestTestMail } from '../../../shared/platforms/local/operations/test-mail.ts';
import { codeOf, messageOf } from '../../../shared/values/caught.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { openFolderFiles } from '../../operator/folder-files.ts';
import { findMissingFiles, showMissing } from '../../operator/missing-files.ts';
import { formatTable } from '../../operator/terminal.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { describeError, failedRequest } from '../errors/describe-error.ts';
import { readProject } from '../project/files/project.ts';
import { openProjectFiles } from '../project-files.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance, connectToServer, serverOf } from '../settings.ts';
import { countOf, type Terminal } from '../terminal.ts';

/** Adds `doctor`: looks for what keeps the other commands from working. */
export const addDoctor: AddCommand = (program, terminal) => {
  withInstance(program.command('doctor'))
    .description('check Node, the project, the server, the key and the instance')
    .option('--files', 'only list the records of a local server whose file is missing')
    .option('--mail <address>', 'only let a local server send a test mail to this address')
    .option('--data <folder>', 'the data folder of a local server (.groundwork of the project)')
    .addHelpText('after', '\nExample:\n  groundwork doctor --url https://api.example.com')
    .action(async ({ files, mail, data: given, ...options }: ConnectionOptions & FilesOptions) => {
      const out = terminal();
      const data = given ?? join(projectFolder(), '.groundwork');
      if (files) return checkStoredFiles(out, data);
      if (mail !== undefined) return checkMail(out, data, mail);
      out.say(`Checking ${serverOf(options)}`); // before it gets the key
      const findings = [
        ...(await checkFiles()),
        ...(await checkServer(options)),
        ...(await checkBackups(data)),
      ];
      out.result(findings, () => formatTable(findings.map((finding) => rowOf(finding, out))));
      if (findings.some(({ level }) => level === 'failed')) process.exitCode = 1;
    });
};

interface FilesOptions {
  readonly files?: boolean;
  readonly mail?: string;
  readonly data?: string;
}

/** Has the server of a data folder send a mail; fails as its mail server does. */
async function checkMail(out: Terminal, folder: string, to: string): Promise<void> {
  await requestTestMail(folder, to);
  out.result({ to }, () => `The mail server has taken a mail to ${to}: look whether it arrives.`);
}

/** Lists the records of a data folder whose file is gone; a server may be running on it. */
async function checkStoredFiles(out: Terminal, folder: string): Promise<void> {
  const stored = await openFolderFiles(folder);
  const missing = await findMissingFiles(stored).finally(() => stored.close());
  out.result(missing, () => showMissing(missing).trimEnd());
  if (missing.length > 0) process.exitCode = 1;
}

interface Finding {
  readonly level: 'ok' | 'warning' | 'failed';
  readonly what: string;
  readonly text: string;
  /** The request that has failed. */
  readonly request?: ResponseError['request'];
  /** Its response. */
  readonly response?: ClientResponse;
}

const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

function rowOf({ level, what, text, ...failed }: Finding, out: Terminal): readonly string[] {
  const { request, response } = failed;
  const shown = out.isVerbose && request !== undefined && response !== undefined;
  const details = shown
    ? ` (${new ResponseError(request, JSON.stringify(response.body), response).message})`
    : '';
  return [out.style(colors[level], level.padEnd('warning'.length)), what, text + details];
}

const supported = ['20', '22', '24', '26'];

async function checkFiles(): Promise<readonly Finding[]> {
  const [major = ''] = process.versions.node.split('.');
  const isTested = supported.includes(major);
  return [
    {
      level: isTested ? 'ok' : 'warning',
      what: 'Node',
      text: isTested ? process.version : `${process.version} is not tested: use ${supported}`,
    },
    checkEnvFile(),
    await checkProject(),
  ];
}

async function checkProject(): Promise<Finding> {
  const what = 'project';
  const checked = await tryCheck(what, async () => {
    const { folder, file, files } = await readProject(projectFolder());
    return file === undefined ? '' : `${join(folder, file)}, with ${countOf(files.size, 'script')}`;
  });
  if (checked.text !== '') return checked;
  const text = 'there is no groundwork.yml: groundwork pull writes one';
  return { level: 'warning', what, text };
}

function checkEnvFile(): Finding {
  const what = '.env';
  const stats = openProjectFiles(projectFolder()).stat('.env');
  if (stats === undefined) {
    return { level: 'warning', what, text: 'there is none: groundwork init writes it' };
  }
  const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0;
  return isPrivate
    ? { level: 'ok', what, text: 'only you can read it' }
    : { level: 'failed', what, text: 'other users can read your keys: chmod 600 .env' };
}

/** Looks at the last backups of a data folder; none where there is no such folder, or no backup elsewhere. */
async function checkBackups(folder: string): Promise<readonly Finding[]> {
  const { success, failure } = await readLastBackups(folder).catch(noneIfForeign);
  const what = 'backup';
  const last = success === undefined ? 'none has succeeded' : `the last one is of ${success.at}`;
  if (failure !== undefined) {
    return [{ level: 'failed', what, text: `failed at ${failure.at}: ${failure.reason}; ${last}` }];
  }
  return success === undefined ? [] : [{ level: 'ok', what, text: last }];
}

/** The folder may be that of a service, whose user is another one. */
function noneIfForeign(error: unknown): LastBackups {
  if (codeOf(error) !== 'EACCES') throw error;
  return {};
}

async function checkServer(options: ConnectionOptions): Promise<readonly Finding[]> {
  const url = serverOf(options);
  let date: string | null;
  try {
    date = await dateOf(url);
  } catch (error) {
    return [{ level: 'failed', what: 'server', text: `${url}: ${messageOf(error)}` }];
  }
  const key = await tryCheck('key', async () => {
    const { body } = await connectToServer(options).send({ path: at`/v1.1/account/` });
    return `of the account ${body.email}`;
  });
  const findings: Finding[] = [
    { level: 'ok', what: 'server', text: url },
    await checkHealth(url),
    checkClock(date),
    key,
  ];
  if (key.level === 'failed') return findings;
  const instance = await tryCheck('instance', async () => {
    const { send, base } = connectInstance(options);
    const { body } = await send({ path: base });
    return `${body.name}, with the role ${body.role}`;
  });
  return [...findings, instance];
}

const timeoutMs = 10_000;

/** Returns the time of a server. */
async function dateOf(url: string): Promise<string | null> {
  const response = await fetch(`${url}/v1.1/`, {
    headers: { Accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`no response (${messageOf((error as Error).cause ?? error)})`); // `fetch` throws errors
  });
  const body: unknown = await response.json().catch(() => undefined);
  const isOurs = response.ok && typeof body === 'object' && body !== null && 'links' in body;
  if (!isOurs) throw new Error(`another server responds there (${response.status})`);
  return response.headers.get('date');
}

/** Asks as a load balancer does (docs/reference/responses.md#health). */
async function checkHealth(url: string): Promise<Finding> {
  return tryCheck('health', async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${url}/health`, { redirect: 'manual', signal });
    const { text, result } = await readResponse(response);
    if (!response.ok) throw new ResponseError({ path: '/health' }, text, result);
    return 'the server reports no problem';
  });
}

const toleratedSeconds = 30;

function checkClock(date: string | null): Finding {
  const what = 'clock';
  if (date === null) return { level: 'warning', what, text: 'the server does not show its time' };
  const seconds = Math.round((Date.now() - Date.parse(date)) / 1000);
  const direction = seconds > 0 ? 'ahead of' : 'behind';
  return Math.abs(seconds) <= toleratedSeconds
    ? { level: 'ok', what, text: 'agrees with the server' }
    : { level: 'warning', what, text: `${Math.abs(seconds)} s ${direction} that of the server` };
}

async function tryCheck(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { level: 'ok', what, text: await check() };
  } catch (error) {
    const failed = failedRequest(error);
    const text = describeError(error).replaceAll(/\n\s*/g, ' '); // a row of a table
    return {
      level: 'failed',
      what,
      text:
        failed !== undefined && error === failed
          ? `${text} (status ${failed.response.status})`
          : text,
      ...(failed !== undefined && { request: failed.request, response: failed.response }),
    };
  }
}
