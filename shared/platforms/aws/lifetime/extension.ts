import { request } from 'node:http';
import { neverRejects } from '../../../values/promises/in-background.ts';

const api = '/2020-01-01/extension';
const name = 'groundwork'; // unique among the extensions of a function

/*
 * Why the counts of a process are not simply written at the end of a request, when the last write is old: Lambda
 * suspends the process after each response, and mostly ends it minutes after its last request. Then nothing writes the
 * counts since the last write: all of a process that served for less than the ten seconds between two writes (without
 * the signal, all 3 in "counts are written on the signal to end" of test/aws/metering.test.ts). To lose no more than
 * docs/guides/usage.md allows, every request would wait for a write of its own: a read of two items and a put of one, two round
 * trips, in place of one such write per instance in ten seconds.
 */

/**
 * Requests a notice when Lambda ends the process: it sends SIGTERM, half a second before the end, only where an
 * extension is registered. So this registers one. To be called, and awaited, while the function is initialised.
 *
 * With `rest` it also keeps the process running after a response. Lambda sends a response as soon as there is one, but
 * suspends the process, and gives it another request, only when its extensions ask for the next event.
 *
 * @param runtimeApi host and port at which Lambda listens
 * @param rest       resolves when the process may rest after one more invocation; never rejects
 * @throws Error when Lambda rejects the registration
 */
export async function registerExtension(
  runtimeApi: string,
  rest?: () => Promise<void>,
): Promise<void> {
  const headers = { 'Lambda-Extension-Name': name, 'Content-Type': 'application/json' };
  const id = await new Promise<string>((resolve, reject) => {
    const sent = request(`http://${runtimeApi}${api}/register`, { method: 'POST', headers });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      const given = response.headers['lambda-extension-identifier'];
      if (response.statusCode === 200 && typeof given === 'string') resolve(given);
      else reject(new Error(`Lambda takes no extension: ${response.statusCode}`));
    });
    sent.end(JSON.stringify({ events: rest === undefined ? [] : ['INVOKE'] }));
  });
  const next = () => nextEvent(`http://${runtimeApi}${api}/event/next`, id);
  if (rest === undefined)
    next().catch(() => undefined); // the process continues as without it
  else neverRejects(followInvocations(next, rest)); // it ends the process
}

/** Lets each invocation end when the process may rest. Without this each would last until its time limit. */
async function followInvocations(next: () => Promise<void>, rest: () => Promise<void>) {
  try {
    for (;;) {
      await next();
      await rest();
    }
  } catch {
    process.exit(1); // Lambda starts another one
  }
}

/** Waits for the next event, which marks an extension as ready. Without events the wait ends with the process. */
function nextEvent(url: string, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = request(url, { headers: { 'Lambda-Extension-Identifier': id } });
    waiting.once('socket', (socket) => socket.unref());
    waiting.once('error', reject);
    waiting.once('response', (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`Lambda has no events: ${response.statusCode}`));
      });
    });
    waiting.end();
  });
}
