import type { DeliveryState, PushStatus } from '../../push/rules/outcome.ts';
import type { PushCredential, PushEnvironment } from '../../push/rules/provider.ts';
import type { JsonObject } from '../../values/json/json.ts';

/* Data of items for push notifications. */

/** Credentials of an instance at one push provider, by environment. */
export type PushConfigData = Readonly<Record<PushEnvironment, PushSideData>>;

/** Credentials for one environment. Null: not set. */
export interface PushSideData {
  readonly credential: PushCredentialData | null;
  /** Name of the application that the push service created with the credential. */
  readonly application: string | null;
  readonly certificate_name: string | null;
  readonly bundle_identifier: string | null;
  /** End of the certificate's validity. */
  readonly expiration_date: string | null;
}

/** A credential, readable only with the deployment's key. */
export interface PushCredentialData {
  readonly kind: PushCredential['kind'];
  readonly sealed: string;
  /** Shown in responses in its place. */
  readonly shown: string;
  /** Of a token; not secret. */
  readonly keyId?: string;
  readonly teamId?: string;
}

/** A device that receives pushes. */
export interface PushDeviceData {
  /** List position, in order of creation. */
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

/** The device at a list position. */
export interface PushDevicePositionData {
  /** Its token in the form that identifies it. */
  readonly code: string;
}

/** A push message. */
export interface PushMessageData {
  readonly id: number;
  readonly status: PushStatus;
  readonly environment: PushEnvironment;
  /** Content without recipients. */
  readonly content: JsonObject;
  /** Parts of the recipients, and the number of completed ones. */
  readonly parts: number;
  readonly partsDone: number;
  /** Counts of the completed parts. */
  readonly delivered: number;
  readonly failed: number;
  /** Reason why nothing could be sent. */
  readonly failure?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Some of the devices of a message. */
export interface PushPartData {
  readonly tokens: readonly string[];
  /** Same order as `tokens`. */
  readonly states: readonly DeliveryState[];
  /** Consecutive rounds that sent nothing because the push service was too busy. */
  readonly busyRounds: number;
  /** Reason why nothing more could be sent. */
  readonly failure?: string;
  readonly isDone: boolean;
}

/** The endpoint of a device at the push service. */
export interface PushEndpointData {
  /** Name of the application at the push service. */
  readonly application: string;
  /** Name of the device at the push service. */
  readonly endpoint: string;
  readonly isEnabled: boolean;
}
