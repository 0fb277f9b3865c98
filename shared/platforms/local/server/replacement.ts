import type { Socket } from 'node:net';
import { freshMs, replacementChoice } from '../../../values/bounds.ts';
import { addressGroup } from '../../../values/source-address.ts';

/** Properties of a connection that decide whether another one replaces it. */
interface Replaceable {
  /** Group of its client's address. */
  readonly address: string;
  /** When it began to wait for its client, by `performance.now()`. */
  waitingSinceMs: number;
}

/** The connections that may make room for a new one. */
export interface Replacement<Each extends Replaceable> {
  /** Counts a connection for its address, until it is forgotten. */
  accept(connection: Each): void;
  forget(connection: Each): void;
  /** Records that the server waits for the client of a connection, which has shown no genuine credential. */
  waits(connection: Each): void;
  /** Records that the body of a connection is arriving, and has shown a genuine credential. */
  receives(connection: Each): void;
  /** Records that the server does not wait for the client. */
  works(connection: Each): void;
  /** Returns the connection to be closed for a new one; undefined: none makes room. */
  choose(): Each | undefined;
}

/**
 * Creates an empty set of connections. The one that makes room is, among those that have waited for their clients for
 * longest, one of the address with the most connections: who connects again and again takes the place of its own.
 */
export function createReplacement<Each extends Replaceable>(): Replacement<Each> {
  const idle = new Set<Each>(); // the longest idle first
  const receiving = new Set<Each>();
  const perAddress = new Map<string, number>();
  const countOf = ({ address }: Each) => perAddress.get(address) ?? 0;

  function ofBusiestAddress(connections: ReadonlySet<Each>): Each | undefined {
    let chosen: Each | undefined;
    let looks = 0;
    for (const each of connections) {
      if (chosen === undefined || countOf(each) > countOf(chosen)) chosen = each;
      looks += 1;
      if (looks === replacementChoice) break;
    }
    return chosen;
  }

  const works = (connection: Each) => {
    if (!idle.delete(connection)) receiving.delete(connection);
  };
  return {
    works,
    accept: (connection) => {
      perAddress.set(connection.address, countOf(connection) + 1);
    },
    forget: (connection) => {
      works(connection);
      const count = countOf(connection) - 1;
      if (count > 0) perAddress.set(connection.address, count);
      else perAddress.delete(connection.address);
    },
    waits: (connection) => {
      works(connection);
      connection.waitingSinceMs = performance.now();
      idle.add(connection);
    },
    receives: (connection) => {
      works(connection);
      receiving.add(connection);
    },
    choose: () => {
      const idlest = ofBusiestAddress(idle);
      if (idlest !== undefined && performance.now() - idlest.waitingSinceMs > freshMs)
        return idlest;
      const receiver = ofBusiestAddress(receiving);
      const isOneOfMany = receiver !== undefined && countOf(receiver) > 1;
      return isOneOfMany ? receiver : idlest;
    },
  };
}

/** Returns the group of the address that a connection comes from. */
export function connectionGroup({ remoteAddress }: Socket): string {
  return addressGroup(remoteAddress?.replace(/^::ffff:/, '') ?? '');
}
