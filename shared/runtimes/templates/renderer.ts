import type { TemplateEngine } from '../../domain/templates/rendering.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Job, Reply, TemplateWorker } from './worker.ts';

/** How templates are rendered. */
export interface RendererOptions {
  /**
   * Takes a process for a tenant.
   *
   * @throws ApiError 503 when none is free in time
   */
  readonly take: (tenant: Tenant) => Promise<TakenWorker>;
  /** How long a template may take; 5 seconds when absent. */
  readonly timeoutMs?: number;
}

/** A process that was taken. */
export interface TakenWorker {
  readonly worker: TemplateWorker;
  release(): void;
}

/** Longest rendering of a template, in milliseconds (reference: templates, engine). */
export const renderTimeoutMs = 5000;

/**
 * Renders templates in processes. They are no threads: a thread that runs out of memory may take the whole process with
 * it. The wait for a process does not count as time of the template.
 */
export function openRenderer({
  take,
  timeoutMs = renderTimeoutMs,
}: RendererOptions): TemplateEngine {
  const ask = async (job: Job, tenant: Tenant): Promise<Reply> => {
    const { worker, release } = await take(tenant);
    try {
      return await worker.ask(job, timeoutMs);
    } finally {
      release();
    }
  };
  return {
    check: async (source, tenant) => {
      const reply = await ask({ source }, tenant);
      return reply.ok ? reply.text : reply.problem;
    },
    render: async (source, variables, tenant) => {
      const reply = await ask({ source, variables: JSON.stringify(variables) }, tenant);
      return reply.ok ? { ok: true, text: reply.text ?? '' } : reply;
    },
  };
}
