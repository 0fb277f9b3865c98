import { checkTemplate, renderTemplate } from '../../../templates/jinja/render.ts';
import type { Value } from '../../../templates/jinja/values.ts';
import { doJobs } from '../job-program.ts';
import type { Job, Reply } from './renderer.ts';

// Program of a process that renders templates.

doJobs<Job>(
  ({ source, variables }): Reply =>
    variables === undefined
      ? { ok: true, text: checkTemplate(source) }
      : renderTemplate(source, JSON.parse(variables) as Record<string, Value>), // the server sent it so
);
