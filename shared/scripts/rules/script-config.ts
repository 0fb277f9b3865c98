import type { JsonObject } from '../../values/json/json.ts';

/** Settings of a run, from the configurations of its instance and its script (docs/reference/scripts.md#config). */
export interface RunSettings {
  /** Maximum duration in milliseconds: the script's own, by default half a minute, at most five minutes. */
  readonly timeoutMs: number;
  /** Maximum number of further attempts after a failed one; only runs of triggers have them. */
  readonly retries: number;
  /** Value of `async` in META; it has no effect. */
  readonly async: number;
  /** Whether the script gets a token, with which it acts on behalf of the owner of its instance. */
  readonly hasFullAccess: boolean;
  /** Value of CONFIG in the script. */
  readonly config: JsonObject;
}

/** Maximum number of nested runs between a client and the last script. */
export const maxRunDepth = 8;

const defaultSeconds = 30;
const maxSeconds = 300;
const maxRetries = 5; // docs/reference/triggers.md#retries

/**
 * Extracts settings from the configurations: some keys of the script, which have no meaning in an instance, and one of
 * both.
 */
export function runSettings(ofInstance: JsonObject, ofScript: JsonObject): RunSettings {
  const { timeout, async: hint, mcpu: _mcpu, retries, ...own } = ofScript;
  const { allow_full_access: access, ...config } = { ...ofInstance, ...own };
  const isTime = typeof timeout === 'number' && timeout > 0;
  const seconds = isTime ? Math.min(timeout, maxSeconds) : defaultSeconds;
  return {
    timeoutMs: Math.ceil(seconds * 1000),
    retries: isRetries(retries) ? retries : 0,
    async: typeof hint === 'number' ? hint : 0,
    hasFullAccess: access === true,
    config,
  };
}

function isRetries(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxRetries;
}

/** Checks whether a script with this configuration gets a token. */
export function hasFullAccess(ofInstance: JsonObject, ofScript: JsonObject): boolean {
  return runSettings(ofInstance, ofScript).hasFullAccess;
}
