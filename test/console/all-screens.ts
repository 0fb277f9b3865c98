import type { Browser, BrowserContext, Route as Requested } from 'playwright-core';
import { bundleConsole } from '../../console/bundle.mjs';
import { createConsole } from '../../shared/console/console.ts';
import { consoleSteps } from '../../shared/console/console-steps.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { type Api, expected, startApi } from '../support/api.ts';
import { openBrowser } from '../support/browser.ts';
import { type FilledWorld, openFilledWorld } from '../support/filled-world.ts';
import { program, signInScript } from './console-page.ts';
import { screenEntries } from './screen-entries.ts';

/** The paths of all screens, from the map. */
export const screens = screenEntries.map(({ path }) => path);

/** All screens, with records for each of them, in a browser. */
export interface AllScreens {
  readonly api: Api;
  readonly world: FilledWorld;
  /** Opens a context in which an account is signed in; without its key the owner. */
  openContext(width: number, colorScheme: 'light' | 'dark', key?: string): Promise<BrowserContext>;
  /** Returns the path of a screen with the names of the world's records, encoded, or others. */
  fill(screen: string, others?: Readonly<Record<string, string>>): string;
  close(): Promise<void>;
}

/**
 * Starts a server with a console, and a browser.
 *
 * @param payload is the name of all records that may have any
 */
export async function openAllScreens(payload: string): Promise<AllScreens> {
  const [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
  const world = await openFilledWorld(api, 'library', payload);
  const { files } = bundleConsole({ brotliQuality: 1 });
  const steps = consoleSteps(api.platform, () => [api.url]);
  const dispatch = createConsole({ console: () => files, reference: () => ({}) });
  const serve = createServe({ ...api.platform, dispatch }, steps);
  return {
    api,
    world,
    openContext: async (width, colorScheme, accountKey = world.owner) => {
      const account = await api.send({ as: accountKey, path: '/v1.1/account/' });
      const session = { accountKey, email: payload, id: expected(account, 200).id };
      return openContext({ browser, width, colorScheme }, session, (requested) =>
        respond(requested, api, serve),
      );
    },
    fill: (screen, others = {}) =>
      screen.replace(
        /:(\w+)/g,
        (_, name: string) => others[name] ?? encodeURIComponent(nameIn(screen, name, world)),
      ),
    close: async () => {
      await browser.close();
      await api.close();
    },
  };
}

interface View {
  readonly browser: Browser;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

async function openContext(
  { browser, width, colorScheme }: View,
  session: object,
  serve: (requested: Requested) => Promise<void>,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
  });
  await context.route('**/console/**', serve);
  await context.addInitScript(signInScript(session));
  return context;
}

/** Serves the console beside the interface of the test's server. */
async function respond(requested: Requested, api: Api, serve: Dispatch): Promise<void> {
  const { pathname, searchParams: query } = new URL(requested.request().url());
  const [method, headers] = [requested.request().method(), requested.request().headers()];
  const id = api.platform.ids.random();
  const { status, content, ...rest } = await serve({
    id,
    method,
    path: pathname,
    query,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: { kind: 'bytes', bytes: new Uint8Array() },
    sourceAddress: '127.0.0.1',
  });
  const body = Buffer.from(content?.bytes ?? []);
  await requested.fulfill({ status, headers: { ...rest.headers }, body });
}

const known: Readonly<Record<string, string>> = {
  instance: 'library',
  class: 'book',
  id: '1',
  service: 'gcm',
};

/** Records that a screen shows by name: their lists, by what the path of the screen contains. */
const lists: readonly (readonly [part: string, template: string])[] = [
  ['endpoints/data/', '/v1.1/instances/{instance}/endpoints/data/{endpoint}/'],
  ['endpoints/scripts/', '/v1.1/instances/{instance}/endpoints/scripts/{endpoint}/'],
  ['templates/', '/v1.1/instances/{instance}/snippets/templates/{template}/'],
  ['channels/', '/v1.1/instances/{instance}/channels/{channel}/'],
  ['push/', '/v1.1/instances/{instance}/push_notifications/gcm/devices/{device}/'],
];

function nameIn(screen: string, name: string, world: FilledWorld): string {
  const own = known[name];
  if (own !== undefined) return own;
  const template = lists.find(([part]) => screen.includes(part))?.[1];
  if (template === undefined) throw new Error(`the names of ${screen} are not known here`);
  const path = world.path({ template } as Parameters<FilledWorld['path']>[0]); // reads the template only
  return decodeURIComponent(path.split('/').at(-2) ?? '');
}
