/** Bounds of what a push service, or an instance by its messages, can cost (docs/reference/limits.md#push-messages). */
export const pushBounds = {
  /** Time to connect, with DNS, TLS and the peer's settings; also for the request of an access token. */
  connectMs: 5000,
  /** Time that a push waits for a connection and a free stream: nothing was sent when it is over. */
  queueMs: 10_000,
  /** Time from a request to its response. */
  responseMs: 10_000,
  /** Silence after which a connection is checked before it is used, and the time for that. */
  silentMs: 20_000,
  pingMs: 2000,
  /** Time after which a request that was not processed is not repeated: a step of a job must end within a minute. */
  repeatMs: 5000,
  /** Bytes of a response's body, and of its headers. */
  bodyBytes: 16_384,
  headerBytes: 16_384,
  /** Header fields of a response. */
  headerFields: 64,
  /** Bytes that a connection may receive in a second, in addition to those of responses. */
  idleBytes: 65_536,
  /** Streams of a connection at a time; the push service may allow fewer. */
  streams: 100,
  /** Connections of a credential that finish their last streams, in addition to the current one. */
  endingConnections: 2,
  /** Credentials with a connection or an access token, in total and of an instance. */
  credentials: 256,
  instanceCredentials: 4,
  /** Pushes between their start and their result, in total and of an instance. */
  pushes: 4000,
  instancePushes: 400,
  /** Time after which an unused connection and its tokens are dropped. */
  idleMs: 300_000,
  /** Pause after a connection that brought no response; it doubles. */
  pause: { firstMs: 250, maxMs: 60_000 },
};

/** Numbers of these bounds; tests lower some. */
export type PushBounds = typeof pushBounds;
