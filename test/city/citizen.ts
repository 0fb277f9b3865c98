import type { Client } from './client.ts';
import type { Random } from './random.ts';

/** Sizes of tenants. */
export const sizes = ['small', 'medium', 'large'] as const;
/** The size of a tenant, which determines how much its residents store. */
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
  /** Key of an application with full access to data. */
  readonly apiKey: string;
  /** Put this into data: responses that show it to another tenant are a failure. */
  readonly mark: string;
}

/** Resources of a resident. */
export interface Life {
  readonly random: Random;
  readonly client: Client;
  readonly home: Tenant;
  /** Prefix for the names of the resident's resources in its instance. */
  readonly prefix: string;
  readonly runtimes: readonly RuntimeName[];
  /** Tenants that the resident has no access to. */
  readonly others: () => readonly Tenant[];
}

/** A user of the server; each acts alone, one act after the other. */
export interface Resident {
  act(): Promise<void>;
  /** Compares the server's data with all writes that it has acknowledged; no act is active. */
  verify?(): Promise<void>;
}

/** A way to use the server. A feature adds its own in one file, and that file to the list of citizens. */
export interface Citizen {
  readonly name: string;
  /** Tenants with one resident each. `own` is a new tenant for itself. */
  readonly homes: readonly (Size | 'own')[];
  /** Hostile within its rights: its times are not counted, and queries may be rejected with 408. */
  readonly isHostile?: boolean;
  /** Milliseconds between two acts, 0 to twice this; 100 when absent. */
  readonly pauseMs?: number;
  /** Prepares the resident's resources, with the same client that it acts with. */
  settle(life: Life): Promise<Resident>;
}
