import { checkTemplate, renderTemplate } from '../../../domain/templates/render.ts';
import type { Value } from '../../../domain/templates/values.ts';
import { doJobs } from '../job-program.ts';
import type { Job, Reply } from './renderer.ts';

// The program of a process that renders templates.

doJobs<Job>(
  ({ source, variables }): Reply =>
    variables === undefined
      ? { ok: true, text: checkTemplate(source) }
      : renderTemplate(source, JSON.parse(variables) as Record<string, Value>), // so it was sent
);
