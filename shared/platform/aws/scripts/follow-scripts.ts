import type { ChangeConsumer, ItemChange, Services } from '../../../jobs/change-feed.ts';
import { newJob } from '../../../jobs/jobs.ts';
import { cascade } from '../../../jobs/maintain.ts';
import { unlessConflict } from '../../../jobs/write-conflict.ts';
import { as, scriptEntity, scriptSweepEntity } from '../../../store/entities.ts';
import { insert } from '../../../store/writes.ts';
import { deploymentOf } from './script-function.ts';
import type { ScriptId } from './script-names.ts';
import { sweepFunctions } from './sweep-functions.ts';

const maxWrites = 100;

/** Deploys the function of each script after a request has changed the script. */
export const followScripts: ChangeConsumer = {
  name: 'functions of scripts',
  watches: [{ kind: scriptEntity.kind, actions: ['create', 'update', 'delete'] }],
  consume: async (changes, services) => {
    const ids = [...new Map(changes.filter(isDeployed).map(idOf)).values()];
    for (let at = 0; at < ids.length; at += maxWrites) {
      const some = ids.slice(at, at + maxWrites);
      await cascade(
        services,
        some.map((id) => deploymentOf(services, id)),
      );
    }
    if (ids.length > 0) await beginToSweep(services);
  },
};

/** Returns whether the function must follow: only for changes of source and runtime. */
function isDeployed({ before, after }: ItemChange): boolean {
  const versionOf = (item: ItemChange['after']) => as(scriptEntity, item)?.data.version;
  return versionOf(before) !== versionOf(after);
}

function idOf({ key }: ItemChange): readonly [string, ScriptId] {
  const [instance, script] = [key.pk, key.sk].map((part) => Number(part.split('#')[1]));
  return [`${key.pk}/${key.sk}`, { instance: instance ?? 0, script: script ?? 0 }];
}

/** Starts to compare functions with scripts, at the first script; the job then starts itself again each day. */
async function beginToSweep(services: Services): Promise<void> {
  const key = scriptSweepEntity.key();
  const [begun] = await services.store.get([key]);
  if (begun !== undefined) return;
  const due = services.clock.micros() / 1000 + 86_400_000;
  await unlessConflict(
    cascade(services, [
      insert(scriptSweepEntity, key, {}),
      newJob(services, sweepFunctions, {}, due),
    ]),
  );
}
