import { createElement } from './dom.ts';

const maxTextBytes = 1e6; // longer text is downloaded instead of shown

/** Returns the media type of the response; empty when it has none. */
export function mediaTypeOf({ headers }: Response): string {
  return headers.get('Content-Type') ?? '';
}

/** Checks whether a script or template produced the response: its policy has a sandbox. */
export function isSandboxed({ headers }: Response): boolean {
  return headers.get('Content-Security-Policy')?.includes('sandbox') === true;
}

/**
 * Returns the body as text, or as a link that downloads it. A blob has the origin of the page: with a type that browsers
 * render, its scripts could read the keys of the tab.
 */
export async function rawBody(response: Response): Promise<HTMLElement> {
  const blob = await response.blob();
  const isText = /^(text\/|application\/(json|javascript|xml))/.test(mediaTypeOf(response));
  if (isText && blob.size < maxTextBytes)
    return createElement('pre', { textContent: await blob.text() });
  const href = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const textContent = `Save ${blob.size} bytes`;
  return createElement('a', { className: 'button', href, download: '', textContent });
}
