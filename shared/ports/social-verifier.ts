import type { Share } from './limits/fair-queue.ts';

/** Asks another service for the profile of the user of one of its access tokens; the request counts for `share`. */
export type SocialVerifier = (
  accessToken: string,
  share: Share,
) => Promise<SocialProfile | undefined>;

/** The profile of a user at another service. */
export interface SocialProfile {
  /** The service's own id of the user. */
  readonly id: string;
  /** An address that the service has verified; undefined where it has none. */
  readonly email: string | undefined;
  readonly first_name: string;
  readonly last_name: string;
}

/** Services for social log-in. */
export const socialBackends = ['facebook', 'google-oauth2', 'github'] as const;
/** One of these services. */
export type SocialBackend = (typeof socialBackends)[number];
