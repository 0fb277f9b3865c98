import { fileURLToPath } from 'node:url';
import type { TemplateEngine } from '../domain/templates/rendering.ts';
import { programFile } from '../runtimes/templates/bundle.ts';
import { openRenderer } from '../runtimes/templates/renderer.ts';

/** Renders templates by the program that lies beside the bundle. */
export function openTemplates(): TemplateEngine {
  const program = fileURLToPath(new URL(programFile, import.meta.url));
  return openRenderer({ program: () => Promise.resolve(program) });
}
