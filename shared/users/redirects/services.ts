import { createHash } from 'node:crypto';
import type { ProviderKind, UserProviderData } from '../../table/records/user-accounts.ts';

/** How users log in at a kind of service. */
export interface Service {
  /** Text that identifies the service, which its responses contain. */
  readonly issuer: string;
  /** Requested, unless the settings name others. */
  readonly scopes: readonly string[];
  /** A scope that the kind cannot do without. */
  readonly always?: string;
  /** Addresses of its paths; absent: the service tells them itself. */
  readonly paths?: ServicePaths;
  /** How it sends its response, where that is not the query. */
  readonly responseMode?: 'form_post';
  /** Whether its documents mention challenges. */
  readonly hasChallenges: boolean;
  /** Whether it sends identity tokens. Without them its profile is requested. */
  readonly hasTokens: boolean;
}

/** Addresses of a service, where users log in and where the server asks. */
export interface ServicePaths {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri?: string;
}

/** Services whose addresses are known. */
const known: Readonly<Record<Exclude<ProviderKind, 'oidc'>, Service>> = {
  google: {
    issuer: 'https://accounts.google.com',
    scopes: ['openid', 'email'],
    always: 'openid',
    paths: {
      authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
      token_endpoint: 'https://oauth2.googleapis.com/token',
      jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    },
    hasChallenges: true,
    hasTokens: true,
  },
  github: {
    issuer: 'https://github.com/login/oauth',
    scopes: ['user:email'],
    paths: {
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
    },
    hasChallenges: true,
    hasTokens: false,
  },
  apple: {
    issuer: 'https://appleid.apple.com',
    scopes: ['email'],
    paths: {
      authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
      token_endpoint: 'https://appleid.apple.com/auth/token',
      jwks_uri: 'https://appleid.apple.com/auth/keys',
    },
    responseMode: 'form_post', // required with a scope
    hasChallenges: false,
    hasTokens: true,
  },
  facebook: {
    issuer: 'https://www.facebook.com',
    scopes: ['public_profile'],
    paths: {
      authorization_endpoint: 'https://www.facebook.com/dialog/oauth',
      token_endpoint: 'https://graph.facebook.com/oauth/access_token',
    },
    hasChallenges: true,
    hasTokens: false,
  },
};

/** Addresses of profiles, of services without identity tokens. */
export const profileAddresses = {
  github: 'https://api.github.com/user',
  githubEmails: 'https://api.github.com/user/emails',
  facebook: 'https://graph.facebook.com/me',
} as const;

/** Returns how users log in at a service. */
export function serviceOf({ kind, issuer = '' }: UserProviderData): Service {
  if (kind !== 'oidc') return known[kind];
  const scopes = ['openid', 'email'];
  return { issuer, scopes, always: 'openid', hasChallenges: true, hasTokens: true };
}

/** Returns the scopes to request at a service, separated by spaces. */
export function scopesOf(provider: UserProviderData): string {
  const { scopes, always } = serviceOf(provider);
  return [...new Set([...(always ? [always] : []), ...(provider.scopes ?? scopes)])].join(' ');
}

/** Returns a text that differs for any change of a service by which its users could be others. */
export function serviceDigest(provider: UserProviderData): string {
  const { name, kind, client_id } = provider;
  return digestOf([name, kind, serviceOf(provider).issuer, client_id]);
}

/**
 * Returns the name of a user at an issuer. It contains the issuer: another one in the settings of a service has other
 * users, whatever names they have there.
 */
export function identityOf(issuer: string, subject: string): string {
  return digestOf([issuer, subject]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
