import { fileURLToPath } from 'node:url';
import { templateProgramFile } from '../../runtimes/child-bundle.mjs';
import { startDirectly } from '../../runtimes/process.ts';
import { openPool } from '../../runtimes/process-pool.ts';
import {
  openRenderer,
  startTemplateWorker,
  type TemplateWorker,
} from '../../runtimes/templates/renderer.ts';
import type { TemplateEngine } from '../../templates/jinja/rendering.ts';

const cap = 3; // the requests of a batch render in parallel; a function serves one request at a time
const idleMs = 600_000; // as long as an idle function lives, about

/** Opens an engine that renders templates by the program in the bundle's folder. */
export function openTemplates(): TemplateEngine {
  const program = fileURLToPath(new URL(templateProgramFile, import.meta.url));
  const pool = openPool<{ template: TemplateWorker }>({
    start: { template: async () => startTemplateWorker(program, startDirectly) },
    cap,
    idleMs,
    keepsSpares: false,
  });
  return openRenderer({ take: () => pool.take('template', 'template') });
}
