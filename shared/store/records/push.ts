import type { DeliveryState, PushStatus } from '../../push/rules/outcome.ts';
import type { PushCredential, PushEnvironment } from '../../push/rules/provider.ts';
import type { JsonObject } from '../../values/json/json.ts';

/*
 * What the items of push notifications hold.
 */

/** What an instance has of one push provider, by environment. */
export type PushConfigData = Readonly<Record<PushEnvironment, PushSideData>>;

/** Credentials for one environment. Null: not set. */
export interface PushSideData {
  readonly credential: PushCredentialData | null;
  /** Name that the push service has given to what was made with the credential. */
  readonly application: string | null;
  readonly certificate_name: string | null;
  readonly bundle_identifier: string | null;
  /** When the certificate ends. */
  readonly expiration_date: string | null;
}

/** A credential, readable only with the deployment's key. */
export interface PushCredentialData {
  readonly kind: PushCredential['kind'];
  readonly sealed: string;
  /** What answers show in its place. */
  readonly shown: string;
  /** Of a token, which are no secrets. */
  readonly keyId?: string;
  readonly teamId?: string;
}

/** A device that gets pushes. */
export interface PushDeviceData {
  /** Place in the list of all, in the order of creation. */
  readonly row: number;
  /** Its token. */
  readonly registration_id: string;
  /** Empty or null when unset, as its provider has it. */
  readonly device_id: string | null;
  readonly label: string;
  /** User id. */
  readonly user: number | null;
  readonly metadata: JsonObject;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Which device has a place in a list. */
export interface PushDeviceRowData {
  /** Its token in the form by which tokens are told apart. */
  readonly code: string;
}

/** A push message. */
export interface PushMessageData {
  readonly id: number;
  readonly status: PushStatus;
  readonly environment: PushEnvironment;
  /** Without whom it is for. */
  readonly content: JsonObject;
  /** Parts of whom it is for, and how many of them are dealt with. */
  readonly parts: number;
  readonly partsDone: number;
  /** In the parts that are dealt with. */
  readonly delivered: number;
  readonly failed: number;
  /** Why nothing could be sent. */
  readonly failure?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Some of the devices that a message is for. */
export interface PushPartData {
  readonly tokens: readonly string[];
  /** Same order as `tokens`. */
  readonly states: readonly DeliveryState[];
  /** Rounds in a row that sent nothing because the push service was too busy. */
  readonly busyRounds: number;
  /** Why nothing more could be sent. */
  readonly failure?: string;
  readonly isDone: boolean;
}

/** Where the push service knows a device. */
export interface PushEndpointData {
  /** Name of what the device is known to, in the push service. */
  readonly application: string;
  /** Name of the device there. */
  readonly endpoint: string;
  readonly isEnabled: boolean;
}
