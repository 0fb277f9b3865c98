import type { Taken } from '../../runtimes/process-pool.ts';
import { serverBusy } from '../../values/errors/errors.ts';
import type { Tenant } from '../../values/tenant.ts';
import type { OpenProcesses, WorkerTypes } from './scripts/processes.ts';
import type { ProcessUse } from './scripts/scheduler.ts';

const waitMs = 5_000; // then the client gets 503 and may retry

/** Source of the process pool and of its scheduler. */
export interface ProcessSource {
  open(): Promise<Pick<OpenProcesses, 'scheduler' | 'pool'>>;
}

/** A process for the project's own programs, shared by all tenants. */
export interface WantedProcess<Runtime> {
  readonly runtime: Runtime;
  readonly kind: ProcessUse;
  /** Longest work, in milliseconds. */
  readonly timeoutMs: number;
  /** Memory that the work takes while it waits. */
  readonly bytes: number;
}

/**
 * Takes a slot and a process for a tenant's work; `release` returns both.
 *
 * @throws ApiError 503 when none is free within five seconds, or too much of the owner's work waits
 */
export async function takeProcess<Runtime extends 'template' | 'certificate'>(
  processes: ProcessSource,
  tenant: Tenant,
  { runtime, ...work }: WantedProcess<Runtime>,
): Promise<Taken<WorkerTypes[Runtime]>> {
  const { scheduler, pool } = await processes.open();
  const releaseSlot = await scheduler.enter({ ...tenant, ...work, isAwaited: true, waitMs });
  if (typeof releaseSlot === 'string') throw serverBusy(1, 'templates and certificates wait');
  try {
    const taken = await pool.take(runtime, runtime);
    const release = () => {
      taken.release();
      releaseSlot();
    };
    return { ...taken, release };
  } catch (error) {
    releaseSlot();
    throw error;
  }
}
