import { readCredentials } from './environment.ts';

/**
 * Stands in the functions' bundles for the search of the SDK for credentials: Lambda gives them in the environment,
 * always. The search, of eight places and with clients of its own, is a third of a bundle.
 */
export function defaultProvider(): () => Promise<ReturnType<typeof readCredentials>> {
  return async () => readCredentials();
}
