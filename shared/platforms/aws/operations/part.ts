import { errorName } from '../../../values/caught.ts';

/** Resources of one kind that a deployment has left. */
export interface LeftoverPart {
  /** As a person reads it, in the plural. */
  readonly what: string;
  /** Finds those that exist. */
  find(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}

/** Limits of a client for many requests: the control plane of Lambda accepts fifteen a second. */
export const patient = { maxAttempts: 12, retryMode: 'adaptive' } as const;

/** Ignores the error that a resource does not exist. */
export async function unlessGone<Output>(result: Promise<Output>): Promise<Output | undefined> {
  try {
    return await result;
  } catch (error) {
    if (goneErrors.has(errorName(error))) return undefined;
    throw error;
  }
}

const goneErrors: ReadonlySet<string> = new Set([
  'ResourceNotFoundException',
  'NotFoundException',
  'NotFound',
  'NoSuchBucket',
]);
