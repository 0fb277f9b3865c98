import { openRenderer, renderTimeoutMs } from '../../runtimes/templates/renderer.ts';
import type { TemplateEngine } from '../../templates/jinja/rendering.ts';
import type { Processes } from './scripts/processes.ts';
import { takeProcess } from './slot.ts';

const bytes = 100_000; // approximate memory of a waiting render

/**
 * Renders templates in processes that share the slots of scripts.
 *
 * @param timeoutMs longest rendering; 5 seconds when absent
 */
export function openTemplates(
  processes: Processes,
  timeoutMs: number = renderTimeoutMs,
): TemplateEngine {
  const wanted = { runtime: 'template', kind: 'template', timeoutMs, bytes } as const;
  return openRenderer({ take: (tenant) => takeProcess(processes, tenant, wanted), timeoutMs });
}
