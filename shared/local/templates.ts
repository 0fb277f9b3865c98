import { unavailable } from '../domain/errors.ts';
import type { TemplateEngine } from '../domain/templates/rendering.ts';
import type { Tenant } from '../domain/tenant.ts';
import { openRenderer, renderTimeoutMs } from '../runtimes/templates/renderer.ts';
import type { Processes } from './scripts/processes.ts';

const waitMs = 5_000; // then the client is told to try again
const bytes = 100_000; // of memory that a waiting render takes, about

/**
 * Renders templates in processes that share the slots of scripts.
 *
 * @param timeoutMs longest rendering; 5 seconds when absent
 */
export function openTemplates(
  processes: Processes,
  timeoutMs: number = renderTimeoutMs,
): TemplateEngine {
  const take = async (tenant: Tenant) => {
    const { scheduler, pool } = await processes.open();
    const work = {
      ...tenant,
      kind: 'template',
      isAwaited: true,
      waitMs,
      timeoutMs,
      bytes,
    } as const;
    const leave = await scheduler.enter(work);
    if (typeof leave === 'string') throw unavailable(1);
    try {
      const { worker, release } = await pool.take('template', 'template');
      const releaseBoth = () => {
        release();
        leave();
      };
      return { worker, release: releaseBoth };
    } catch (error) {
      leave();
      throw error;
    }
  };
  return openRenderer({ take, timeoutMs });
}
