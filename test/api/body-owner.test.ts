import { expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createHeadCheck } from '../../shared/core/pipeline/admission.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { restoredData } from '../../shared/values/keys/data-ids.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

it('counts bodies of scripts for their instance, also after a restore', async ({ api, world }) => {
  const { platform } = api;
  const claims = { kind: 'script', endsAt: 4_000_000_000, depth: 0 } as const;
  const script = { script: 1, scriptVersion: 1, owner: 1, ownerGeneration: 1 };
  const { version, secret } = await platform.secrets.current();
  const headCheck = createHeadCheck(routes, platform);
  const owners = [0, 3].map(async (restore) => {
    const scope = restoredData(7, restore);
    const key = keyText({ ...claims, ...script, version, scope }, secret);
    const path = `${world.base}classes/`;
    return headCheck.admit({ method: 'POST', path, headers: { 'x-api-key': key } } as never);
  });
  const [before, after] = await Promise.all(owners);
  expect(before).toMatchObject({ kind: 'genuine', owner: 'instance 7' });
  expect(after).toMatchObject({ kind: 'genuine', owner: 'instance 7' });
});
