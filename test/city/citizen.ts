import type { Client } from './client.ts';
import type { Random } from './random.ts';

/** Sizes of tenants. */
export const sizes = ['small', 'medium', 'large'] as const;
/** The size of a tenant, which says how much its residents store. */
export type Size = (typeof sizes)[number];

/** Names of runtimes that scripts are written for. */
export type RuntimeName = 'nodejs' | 'python3';

/** An account with an instance. */
export interface Tenant {
  readonly size: Size;
  /** Name of the instance. */
  readonly name: string;
  /** Path of the instance. */
  readonly base: string;
  readonly accountKey: string;
  /** Key of an application that may do everything with data. */
  readonly apiKey: string;
  /** Put this into data: responses that show it to anybody else are a failure. */
  readonly mark: string;
}

/** What a resident lives with. */
export interface Life {
  readonly random: Random;
  readonly client: Client;
  readonly home: Tenant;
  /** Prefix for the names of what the resident makes in its instance. */
  readonly prefix: string;
  readonly runtimes: readonly RuntimeName[];
  /** Tenants that the resident has nothing to do with. */
  readonly others: () => readonly Tenant[];
}

/** Somebody who uses the server; each acts alone, one act after the other. */
export interface Resident {
  act(): Promise<void>;
  /** Compares what the server has with all writes that it has acknowledged; no act is under way. */
  verify?(): Promise<void>;
}

/** A way to use the server. A feature adds its own in one file, and that file to the list of citizens. */
export interface Citizen {
  readonly name: string;
  /** Tenants to live in: one resident for each. `own` is a new tenant for itself. */
  readonly homes: readonly (Size | 'own')[];
  /** Hostile within its rights: its times do not count, and queries may be refused with 408. */
  readonly isHostile?: boolean;
  /** Milliseconds between two acts, 0 to twice this; 100 when absent. */
  readonly pauseMs?: number;
  /** Prepares what the resident needs, with the same client that it acts with. */
  settle(life: Life): Promise<Resident>;
}
