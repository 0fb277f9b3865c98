import type { MailServer } from '../support/mail-server.ts';
import type { PushService } from '../support/push-service.ts';
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
  /** Another one after the tenant has moved, like the next member. */
  accountKey: string;
  /** Key of an application with full access to data. */
  apiKey: string;
  /** Text for the tenant's data. A response that contains it for another tenant is a failure. */
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
  /** Receives the pushes of all tenants. */
  readonly pushes: PushService;
  /** Receives the mails of all tenants. */
  readonly mails: MailServer;
  /** Tenants that the resident has no access to. */
  readonly others: () => readonly Tenant[];
}

/** A user of the server, who acts alone, one act after the other. */
export interface Resident {
  act(): Promise<void>;
  /** Compares the server's data with all writes that it has acknowledged; no act is active. */
  verify?(): Promise<void>;
  /**
   * Continues on another server, where the instance was imported: compares it like `verify`. Absent where a resident
   * needs what an export does not contain.
   */
  arrive?(): Promise<void>;
}

/** A way to use the server. A feature adds a citizen in one file, and adds the file to the list of citizens. */
export interface Citizen {
  readonly name: string;
  /** Tenants with one resident each. `own` is a new tenant. */
  readonly homes: readonly (Size | 'own')[];
  /** True for a tenant that is hostile within its rights: its times are not counted, and queries may return 408. */
  readonly isHostile?: boolean;
  /** Mean pause in milliseconds: pauses are 0 to twice as long. 100 by default. */
  readonly pauseMs?: number;
  /** Prepares the resident's resources, with the client of its later acts. */
  settle(life: Life): Promise<Resident>;
}
