import type { ChangeConsumer, ItemChange, Services } from '../../../jobs/change-feed.ts';
import { newJob } from '../../../jobs/jobs.ts';
import { cascade } from '../../../jobs/maintain.ts';
import { unlessConflict } from '../../../jobs/write-conflict.ts';
import { createItem } from '../../../store/writes.ts';
import { instanceIn } from '../../../table/data-ids.ts';
import { scriptSweepEntity } from '../../../table/entities/deployment.ts';
import { scriptEntity } from '../../../table/entities/scripts.ts';
import { idIn } from '../../../table/key-parts.ts';
import { deploymentOf, sweepFunctions } from './script-function.ts';
import type { ScriptId } from './script-names.ts';

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
  const versionOf = (item: ItemChange['after']) =>
    item !== undefined && scriptEntity.matches(item) ? item.data.version : undefined;
  return versionOf(before) !== versionOf(after);
}

function idOf({ key }: ItemChange): readonly [string, ScriptId] {
  return [`${key.pk}/${key.sk}`, { instance: instanceIn(key), script: idIn(key) }];
}

/** Starts to compare functions with scripts, at the first script; the job then starts itself again each day. */
async function beginToSweep(services: Services): Promise<void> {
  const key = scriptSweepEntity.key();
  if ((await scriptSweepEntity.read(services.store)) !== undefined) return;
  const due = services.clock.micros() / 1000 + 86_400_000;
  await unlessConflict(
    cascade(services, [
      createItem(scriptSweepEntity, key, {}),
      newJob(services, sweepFunctions, {}, due),
    ]),
  );
}
