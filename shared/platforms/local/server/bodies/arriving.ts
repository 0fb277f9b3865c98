import type { IncomingMessage } from 'node:http';
import type { Request } from '../../../../core/http/message.ts';

/** A request whose body may still be on its way. */
export interface Arriving {
  readonly message: IncomingMessage;
  /** Without its body. */
  readonly head: Request;
  /** Sends `100 Continue` to a client that waits for it. */
  readonly goOn: () => void;
  /** Called when a genuine credential was found: its connection is not idle from then on. */
  readonly onGenuine: () => void;
}

/** Returns the length of a body from the header; undefined for one in chunks. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Returns whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
