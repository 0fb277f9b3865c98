import { checkTemplate, renderTemplate } from '../../domain/templates/render.ts';
import type { Value } from '../../domain/templates/values.ts';
import type { Job, Reply } from './renderer.ts';

/*
 * The program of a process of its own, which has no environment and few rights, and is ended when a template takes
 * too long or too much memory.
 */

process.on('message', ({ source, variables }: Job) => {
  const reply: Reply =
    variables === undefined
      ? { ok: true, text: checkTemplate(source) }
      : renderTemplate(source, JSON.parse(variables) as Record<string, Value>); // so it was sent
  process.send?.(reply);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
