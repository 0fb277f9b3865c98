/** Services that deliver pushes to devices: Google's for Android, Apple's for iOS (docs/reference/push.md#paths). */
export const pushProviders = ['gcm', 'apns'] as const;
export type PushProvider = (typeof pushProviders)[number];

/** Environments of pushes: each has separate credentials. */
export const pushEnvironments = ['development', 'production'] as const;
export type PushEnvironment = (typeof pushEnvironments)[number];

/** Returns the name of a provider in an environment, in Amazon SNS and as the outer key of a push. */
export function platformName(provider: PushProvider, environment: PushEnvironment): string {
  if (provider === 'gcm') return 'GCM';
  return environment === 'production' ? 'APNS' : 'APNS_SANDBOX';
}

/** Sender of pushes: credentials, an application at SNS, endpoints. */
export interface PushScope {
  /** Instance id. */
  readonly instance: number;
  readonly provider: PushProvider;
  readonly environment: PushEnvironment;
}

/** Credential for a provider; always secret. */
export type PushCredential =
  /** A server key from before FCM v1; Google no longer accepts any. */
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
