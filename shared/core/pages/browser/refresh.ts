import { isRecord } from './dom.ts';
import { keyHeaders } from './keys.ts';

/*
 * Results of background runs are requested again until they are finished: the page of a run or of several, and the
 * result below the form that has started one.
 */

const pollMs = 1000;
const maxPolls = 600; // 10 minutes; scripts end earlier

/** Checks whether a run is still to finish. */
function isPending(body: unknown): boolean {
  return isRecord(body) && (body.status === 'pending' || body.status === 'processing');
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pollMs));
}

/** Loads the page again while the server marks it as pending, until another one is shown. */
export async function refreshWhilePending(load: () => Promise<void>): Promise<void> {
  const { href } = location;
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const main = document.getElementById('main');
    if (main?.dataset.pending === undefined) return;
    await pause();
    if (location.href !== href || document.getElementById('main') !== main) return;
    if (!document.hidden) await load();
  }
}

/**
 * Returns the body of a run once it is finished.
 *
 * @param body the first one, which may be pending and has a link to itself
 * @param isWanted is asked before each request
 */
export async function finishedBody(body: unknown, isWanted: () => boolean): Promise<unknown> {
  let last = body;
  for (let polls = 0; polls < maxPolls && isPending(last); polls += 1) {
    const self = isRecord(last) && isRecord(last.links) ? last.links.self : undefined;
    if (typeof self !== 'string' || !self.startsWith('/v')) return last;
    await pause();
    if (!isWanted()) return last;
    const headers = keyHeaders('application/json');
    const response = await fetch(self, { headers, cache: 'no-store', credentials: 'omit' });
    if (!response.ok) return last;
    last = await response.json();
  }
  return last;
}
