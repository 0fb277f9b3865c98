import type { Tenant } from '../../values/tenant.ts';

/** Result of rendering: the output, or an error message for the client. */
export type RenderResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Error message for a template that fails without further details. */
export const renderingFailed = 'Template rendering failed';

/** Renders templates outside the thread that serves requests. */
export interface TemplateEngine {
  /** Checks the syntax of a template. Resolves to the error message, or undefined for a valid template. */
  check(source: string, tenant: Tenant): Promise<string | undefined>;
  /** @param variables plain data that JSON can represent */
  render(
    source: string,
    variables: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<RenderResult>;
}
