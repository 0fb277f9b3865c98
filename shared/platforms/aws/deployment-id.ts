import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import { createOrUpdate } from '../../store/writes.ts';
import { deploymentIdEntity } from '../../table/entities/deployment.ts';
import type { ScriptDeployment } from './scripts/script-names.ts';

/** The deployment whose script functions are used. */
export interface DeploymentOfScriptsOptions {
  /** Prefix of the names of functions. */
  readonly prefix: string;
  /** Name of the table. */
  readonly table: string;
  readonly services: Pick<Platform, 'store' | 'ids'>;
}

/**
 * Opens the deployment of script functions: its id is read from the table at the first use, and then kept. A table
 * without id, or with that of another table, of which it is a restored copy, gets a new one. So no run in a restored
 * table invokes a function of the lost data, whose scripts may have had the same versions.
 */
export function openScriptDeployment({
  prefix,
  table,
  services,
}: DeploymentOfScriptsOptions): () => Promise<ScriptDeployment> {
  let known: string | undefined;
  return async () => {
    known ??= await readDeploymentId(services, table);
    return { prefix, deployment: known };
  };
}

async function readDeploymentId(
  services: DeploymentOfScriptsOptions['services'],
  table: string,
): Promise<string> {
  const { store, ids } = services;
  // after a write conflict, another process has stored an id
  return retryOnConflict(async () => {
    const current = await deploymentIdEntity.read(store);
    if (current?.data.table === table) return current.data.id;
    const reference = { key: deploymentIdEntity.key(), current };
    const data = { id: ids.random(), table };
    await maintain(services, [createOrUpdate(deploymentIdEntity, reference, data)]);
    return data.id;
  });
}
