import { make } from './dom.ts';

const maxTextBytes = 1e6; // a longer text is saved instead of shown

/** Returns the type of the response, empty when it has none. */
export function typeOf({ headers }: Response): string {
  return headers.get('Content-Type') ?? '';
}

/** Tells whether a script or a template has made the response: it comes with a sandbox. */
export function isForeign({ headers }: Response): boolean {
  return headers.get('Content-Security-Policy')?.includes('sandbox') === true;
}

/**
 * Returns the body as text, or as a link that saves it. A blob has our origin: of a type that browsers show, it would
 * run there with the keys of the tab.
 */
export async function rawBody(response: Response): Promise<HTMLElement> {
  const blob = await response.blob();
  const isText = /^(text\/|application\/(json|javascript|xml))/.test(typeOf(response));
  if (isText && blob.size < maxTextBytes) return make('pre', { textContent: await blob.text() });
  const href = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const textContent = `Save ${blob.size} bytes`;
  return make('a', { className: 'button', href, download: '', textContent });
}
