import {
  drainMs,
  gainWindowMs,
  headCheckMs,
  headMs,
  smallBodyMs,
  stalledSendMs,
  uploadIdleMs,
} from '../../../values/bounds.ts';

/** Longest waits of a server for its clients, in milliseconds. */
export interface ServerTimeouts {
  /** For a request line and headers. */
  readonly headMs: number;
  /** Between two checks of those. */
  readonly headCheckMs: number;
  /** For the next bytes of a body: a large one must gain in each such window, a small one may not pause for longer. */
  readonly gainWindowMs: number;
  /** For a small body. */
  readonly smallBodyMs: number;
  /** For the next bytes of a large upload. */
  readonly uploadIdleMs: number;
  /** For a client that reads nothing of a response. */
  readonly stalledSendMs: number;
  /** For the rest of a request after its response. */
  readonly drainMs: number;
}

/** The waits of every server; tests have shorter ones. */
export const patience: ServerTimeouts = {
  headMs,
  headCheckMs,
  gainWindowMs,
  smallBodyMs,
  uploadIdleMs,
  stalledSendMs,
  drainMs,
};
