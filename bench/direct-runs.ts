import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../functions/api.ts';
import * as background from '../functions/jobs.ts';
import { createDispatch } from '../shared/core/pipeline/dispatch.ts';
import { openPlatform } from '../shared/platforms/local/platform.ts';
import type { Settings } from '../shared/ports/ports.ts';
import { responseTemplates } from '../shared/templates/response-templates.ts';
import { coldPauseMs, measure } from './scripts.ts';

/** Names of the rows for direct runs: from the request to the finished trace, on a disk, without HTTP. */
export const directRows = ['direct run warm', 'direct run cold'] as const;

const settings: Settings = {
  maxInstances: 1,
  maxClasses: 1,
  location: '',
  passwordCost: 10,
  registration: 'open',
};

/** Measures direct runs of a trivial script, in the same way as `measureScripts`. */
export async function measureDirectRuns(
  names: readonly string[],
  seconds: number,
): Promise<readonly (readonly string[])[]> {
  if (names.length === 0) return [];
  const { make, run, close } = await open();
  const rows: string[][] = [];
  const known = await make();
  for (let n = 0; n < 50; n += 1) await run(known); // compiled, and warm
  if (names.includes('direct run warm')) {
    rows.push(await measure('direct run warm', seconds, () => run(known)));
  }
  if (names.includes('direct run cold')) {
    const once = async () => {
      const script = await make();
      await new Promise((resolve) => setTimeout(resolve, coldPauseMs));
      return run(script);
    };
    rows.push(await measure('direct run cold', seconds, once));
  }
  await close();
  return rows;
}

/** Opens an instance on its own platform. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-bench-'));
  const log = () => undefined;
  const url = () => 'http://127.0.0.1';
  const platform = await openPlatform({
    folder: join(folder, 'data'),
    settings,
    log,
    url,
    background,
  });
  const dispatch = platform.track(
    createDispatch(routes, platform, { renderer: responseTemplates }),
  );
  let key: string | undefined;
  const post = async (path: string, value: object) => {
    const answer = await dispatch({
      id: 'bench',
      method: 'POST',
      path: `/v1.1/${path}`,
      sourceAddress: '127.0.0.1',
      query: new URLSearchParams(),
      headers: { 'x-api-key': key },
      body: { kind: 'json', value },
    });
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}`);
    return answer.body as { readonly id: number; readonly account_key?: string };
  };
  const person = { email: 'owner@example.com', password: 'a password' };
  key = (await post('account/register/', person)).account_key;
  await post('instances/', { name: 'bench' });
  const list = 'instances/bench/snippets/scripts/';
  return {
    make: async () => (await post(list, { runtime_name: 'nodejs', source: '1' })).id,
    /** Runs a script to its end and returns the duration in milliseconds. */
    run: async (script: number) => {
      const startedMs = performance.now();
      await post(`${list}${script}/run/`, {});
      await platform.idle();
      return performance.now() - startedMs;
    },
    close: async () => {
      await platform.close();
      rmSync(folder, { recursive: true });
    },
  };
}
