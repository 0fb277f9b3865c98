import type { ClientRequest, SendRequest } from '../../shared/clients/client.ts';

/** What the steps of a smoke test share. */
export interface SmokeWorld {
  readonly send: SendRequest;
  /** Address of the server. */
  readonly url: string;
  /** Path of the instance that the test creates. */
  readonly instance: string;
  readonly name: string;
  /** Credentials of the account. */
  readonly account: {
    readonly email: string;
    readonly password: string;
    /** True when it exists, and is not registered. */
    readonly isKnown: boolean;
    /** Set-up code or invitation, if registration needs one. */
    readonly code: string | undefined;
  };
  /** Service account of FCM; a dummy is sent without it, which the service may reject. */
  readonly fcm: object | undefined;
  /** Waits before a request is repeated. */
  readonly pause: () => Promise<unknown>;
  /** Keys that steps have obtained. */
  readonly keys: { account?: string; api?: string };
}

/** A step. It throws when the server does not behave as expected. */
export interface Step {
  readonly name: string;
  /** True when later steps cannot work without it. */
  readonly isNeeded?: true;
  /** Returns a remark, if any. */
  run(world: SmokeWorld): Promise<string | undefined>;
}

const patienceMs = 120_000; // the first run of a script on AWS waits for its function

/** Repeats a request with the account's key until its response satisfies a condition. */
// biome-ignore lint/suspicious/noExplicitAny: as of responses
export async function until<Body = any>(
  { send, pause, keys }: SmokeWorld,
  request: ClientRequest,
  isDone: (body: Body) => boolean,
): Promise<Body> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { body } = await send({ key: keys.account, ...request });
    if (isDone(body)) return body;
    if (performance.now() > deadline) {
      throw new Error(
        `${request.path}: not as expected in time: ${JSON.stringify(body).slice(0, 300)}`,
      );
    }
    await pause();
  }
}

/** Throws when a value is not the expected one. */
export function mustBe(what: string, value: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(value), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what} is ${is?.slice(0, 300)} in place of ${should}`);
}
