import { readCredentials } from './environment.ts';

/**
 * Replaces, in the functions' bundles, the SDK's search for credentials: Lambda always sets them in the environment.
 * The search, of eight sources and with its own clients, is a third of a bundle.
 */
export function defaultProvider(): () => Promise<ReturnType<typeof readCredentials>> {
  return async () => readCredentials();
}
