import { checkTemplate, renderTemplate } from '../../templates/jinja/render.ts';
import type { Value } from '../../templates/jinja/values.ts';
import { runJobs } from '../job-program.ts';
import type { TemplateJob, TemplateReply } from './renderer.ts';

// Program of a process that renders templates.

runJobs<TemplateJob>(
  ({ source, variables }): TemplateReply =>
    variables === undefined
      ? { ok: true, text: checkTemplate(source) }
      : renderTemplate(source, JSON.parse(variables) as Record<string, Value>), // the server sent a JSON object
);
