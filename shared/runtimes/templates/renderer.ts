import {
  type RenderResult,
  renderingFailed,
  type TemplateEngine,
} from '../../templates/jinja/rendering.ts';
import type { Tenant } from '../../values/tenant.ts';
import { type JobWorker, jobCommand, startJobWorker } from '../job-worker.ts';
import type { StartProcess } from '../process.ts';

/** A template to render with variables in JSON; without variables only its syntax is checked. */
export interface TemplateJob {
  readonly source: string;
  readonly variables?: string;
}

/** The result of a job. The text of a syntax check is the error message, absent for a valid template. */
export type TemplateReply =
  | RenderResult
  | { readonly ok: true; readonly text?: string | undefined };

/** A process that renders templates. */
export type TemplateWorker = JobWorker<TemplateJob, TemplateReply>;

export interface RendererOptions {
  /**
   * Takes a process for a tenant.
   *
   * @throws ApiError 503 when no process becomes free in time
   */
  readonly take: (tenant: Tenant) => Promise<{ worker: TemplateWorker; release(): void }>;
  /** Time limit in milliseconds; 5 seconds by default. */
  readonly timeoutMs?: number;
}

/** Time limit for rendering a template, in milliseconds (docs/reference/templates.md#engine). */
export const renderTimeoutMs = 5000;
const maxMegabytes = 200; // heap limit, from the same reference

/** Starts a process that renders templates. `program` is the path of the bundled program. */
export function startTemplateWorker(program: string, start: StartProcess): TemplateWorker {
  return startJobWorker(jobCommand(program, maxMegabytes), start);
}

/**
 * Renders templates in child processes. Threads are not used: a thread that runs out of memory may end the whole
 * process. The wait for a process does not count as rendering time.
 */
export function openRenderer({
  take,
  timeoutMs = renderTimeoutMs,
}: RendererOptions): TemplateEngine {
  const run = async (job: TemplateJob, tenant: Tenant): Promise<TemplateReply> => {
    const { worker, release } = await take(tenant);
    try {
      const result = await worker.run(job, timeoutMs);
      if (result === 'late') return { ok: false, problem: 'Template rendering timeout' };
      return result === 'failed' ? { ok: false, problem: renderingFailed } : result.reply;
    } finally {
      release();
    }
  };
  return {
    check: async (source, tenant) => {
      const reply = await run({ source }, tenant);
      return reply.ok ? reply.text : reply.problem;
    },
    render: async (source, variables, tenant) => {
      const reply = await run({ source, variables: JSON.stringify(variables) }, tenant);
      return reply.ok ? { ok: true, text: reply.text ?? '' } : reply;
    },
  };
}
