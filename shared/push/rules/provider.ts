/** Services that bring pushes to devices: Google's for Android, Apple's for iOS (docs/reference/push.md#paths). */
export const pushProviders = ['gcm', 'apns'] as const;
/** One of the services. */
export type PushProvider = (typeof pushProviders)[number];

/** What a push is for: each has credentials of its own. */
export const pushEnvironments = ['development', 'production'] as const;
/** One of the environments. */
export type PushEnvironment = (typeof pushEnvironments)[number];

/** The name under which Amazon SNS, and the outer key of a push, know a provider in an environment. */
export function platformName(provider: PushProvider, environment: PushEnvironment): string {
  if (provider === 'gcm') return 'GCM';
  return environment === 'production' ? 'APNS' : 'APNS_SANDBOX';
}

/** A place where pushes are sent from: credentials, an application at SNS, endpoints. */
export interface PushPlace {
  /** Instance id. */
  readonly instance: number;
  readonly provider: PushProvider;
  readonly environment: PushEnvironment;
}

/** What opens a provider; always secret. */
export type PushCredential =
  /** A server key of the time before FCM v1; Google takes none any more. */
  | { readonly kind: 'legacyKey'; readonly key: string }
  /** The JSON of a service account, as text. */
  | { readonly kind: 'serviceAccount'; readonly text: string }
  /** Both in PEM. */
  | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
  /** The text of a `.p8` file. */
  | {
      readonly kind: 'token';
      readonly key: string;
      readonly keyId: string;
      readonly teamId: string;
      readonly bundle: string;
    };
