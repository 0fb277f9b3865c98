import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../support/api.ts';
import { type Ended, openProject, type Project } from './groundwork.ts';
import { startHttpServer } from './http-server.ts';

/** A project that is connected to a new instance. */
export interface Connected extends Project {
  readonly api: Api;
  /** Address that the commands use. */
  readonly url: string;
  /** Writes files of the project, by path. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  read(path: string): string;
  /** Returns the project file and all scripts, by path. */
  files(): Readonly<Record<string, string>>;
  /** Returns requests of commands that may change something, since the last call. */
  changes(): readonly string[];
  /** Sends a request as the owner, to a path below the instance. */
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>;
}

/** Replaces the body of a response to a request of a command: `GET classes/`. */
export type Alter = (request: string, text: string) => string;

/** Starts a server, and connects an empty folder to a new instance `library`. */
export async function connectProject(alter: Alter = (_, text) => text): Promise<Connected> {
  const api = await startApi();
  onTestFinished(() => api.close());
  const { url, sent } = await countRequests(api.url, alter);
  const project = openProject();
  const account = ['--email', 'ada@example.com', '--password', 'a secret'];
  const ended = await project.run('init', '--url', url, '--instance', 'library', ...account);
  expectStatus(ended, 0);
  return { ...project, ...connectFolder(project, api), changes: () => sent.splice(0) };
}

/** Returns another folder that is connected to another new instance of the same account. */
export async function connectAnother(first: Connected, instance: string): Promise<Connected> {
  const project = openProject();
  const env = first.read('.env').replace(/^GROUNDWORK_(INSTANCE|API_KEY)=.*\n?/gm, '');
  writeFileSync(join(project.folder, '.env'), env);
  expectStatus(await project.run('init', '--instance', instance), 0);
  return { ...project, ...connectFolder(project, first.api), changes: first.changes };
}

function connectFolder({ folder }: Project, api: Api): Omit<Connected, keyof Project | 'changes'> {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(read('.env'))?.[1] ?? '';
  return {
    api,
    url: setting('GROUNDWORK_URL'),
    read,
    write: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    },
    files: () => {
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
      return Object.fromEntries(paths.sort().map((path) => [path, read(path)]));
    },
    call: (method, path, body) =>
      api.send({
        as: setting('GROUNDWORK_ACCOUNT_KEY'),
        method,
        path: `/v1.1/instances/${setting('GROUNDWORK_INSTANCE')}/${path}`,
        ...(body !== undefined && { body }),
      }),
  };
}

/** Throws unless a command has ended with a status. */
export function expectStatus(ended: Ended, status: number): Ended {
  if (ended.status !== status) throw new Error(`ended with ${ended.status}: ${ended.stderr}`);
  return ended;
}

/** Starts a proxy that records requests that may change something. */
async function countRequests(target: string, alter: Alter) {
  const sent: string[] = [];
  const url = await startHttpServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const line = `${method} ${path.replace(/^\/v1.1\/instances\/[^/]+\//, '')}`;
    if (method !== 'GET') sent.push(line);
    const body = await request.toArray();
    const { host: _host, connection: _connection, ...others } = headers;
    const answer = await fetch(target + path, {
      method,
      headers: others as Record<string, string>, // none is repeated
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
    response.end(alter(line, await answer.text()));
  });
  return { url, sent };
}
