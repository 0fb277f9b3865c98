import { keyParameters, type Request, type Response } from '../../http/message.ts';
import { attributes, type Html, html } from '../html.ts';
import type { Offer } from '../offer.ts';

/** Checks whether the page is only a form: its address has nothing to read, and is no error to somebody who came here. */
export function isFormOnly({ status }: Response, offer: Offer | undefined): boolean {
  return status === 405 && offer?.methods.includes('POST') === true;
}

/** Renders a hint on the next step, if one is needed. */
export function renderAdvice(
  request: Request,
  response: Response,
  offer: Offer | undefined,
): Html | undefined {
  if (response.status === 403) {
    return html`<p class="advice">Some places need a key, or another one: <a href="#keys">enter it under Keys</a>.</p>`;
  }
  if (response.headers?.['X-Error-Code'] === 'no_trailing_slash') return renderSlash(request);
  return offer?.runsCode
    ? html`<p class="advice">This runs a script: send the form.</p>`
    : undefined;
}

/** Renders the address that the client meant. */
function renderSlash(request: Request): Html {
  const path = `${request.path.split('/').map(encodeURIComponent).join('/')}/`;
  const address = requestAddress({ ...request, path });
  return html`<p class="advice">Addresses end in a slash: <a${attributes({ href: address })}>${address}</a></p>`;
}

/** Returns the address of a request without keys. */
export function requestAddress({ path, query }: Pick<Request, 'path' | 'query'>): string {
  const shown = new URLSearchParams(query);
  for (const name of keyParameters) shown.delete(name);
  return shown.size === 0 ? path : `${path}?${shown}`;
}
