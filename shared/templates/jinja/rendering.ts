import type { Tenant } from '../../values/tenant.ts';

/** What became of a template: its text, or why there is none, for the client. */
export type Rendering =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** What is said of a template that fails in a way of which nothing more can be told. */
export const renderingFailed = 'Template rendering failed';

/** Renders templates, away from the thread that answers calls. */
export interface TemplateEngine {
  /** What is wrong with the syntax of a template; undefined: nothing. */
  check(source: string, tenant: Tenant): Promise<string | undefined>;
  /** @param variables plain data, as JSON can carry it */
  render(
    source: string,
    variables: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<Rendering>;
}
