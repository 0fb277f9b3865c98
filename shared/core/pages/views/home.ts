import { type Html, html } from '../html.ts';

/** Name of the product: the title of the first page. */
export const product = 'Groundwork';

/** Renders the first page: what this is, and where to go. Its links are relative, for a server below a path. */
export function renderHome(): Html {
  return html`<p>A backend for applications: data, users, files, scripts and push messages, over HTTP.</p>
<dl class="details">
<div><dt><a rel="external" href="console/">Console</a></dt><dd>The place to work: data, scripts, users, usage</dd></div>
<div><dt><a href="v1.1/account/auth/">Log in</a></dt><dd>Get the key of your account</dd></div>
<div><dt><a href="v1.1/account/register/">Sign up</a></dt><dd>Create an account</dd></div>
<div><dt><a href="v1.1/">Interface</a></dt><dd>Every address of the interface, as a page</dd></div>
<div><dt><a rel="external" href="docs/api/">All operations</a></dt><dd>Every path and method with its fields, on one page</dd></div>
<div><dt><a href="v1.1/schema/">Schema</a></dt><dd>The paths by family, and the OpenAPI document</dd></div>
</dl>`;
}
