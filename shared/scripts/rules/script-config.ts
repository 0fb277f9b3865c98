import type { JsonObject } from '../../values/json/json.ts';

/** How a run is made, by the configurations of its instance and its script (docs/reference/scripts.md#config). */
export interface RunSettings {
  /** Longest run, in milliseconds: half a minute unless the script says otherwise, five minutes at most. */
  readonly timeoutMs: number;
  /** What META shows as `async`; it has no effect. */
  readonly async: number;
  /** Whether the script gets a token, with which it acts on behalf of the owner of its instance. */
  readonly hasFullAccess: boolean;
  /** What the script sees as CONFIG. */
  readonly config: JsonObject;
}

const defaultSeconds = 30;
const maxSeconds = 300;

/** Takes out what is for us: some keys of the script alone, which mean nothing in an instance, and one of both. */
export function runSettings(ofInstance: JsonObject, ofScript: JsonObject): RunSettings {
  const { timeout, async: hint, mcpu: _mcpu, ...own } = ofScript;
  const { allow_full_access: access, ...config } = { ...ofInstance, ...own };
  const isTime = typeof timeout === 'number' && timeout > 0;
  const seconds = isTime ? Math.min(timeout, maxSeconds) : defaultSeconds;
  return {
    timeoutMs: Math.ceil(seconds * 1000),
    async: typeof hint === 'number' ? hint : 0,
    hasFullAccess: access === true,
    config,
  };
}

/** Tells whether a script with this configuration gets a token. */
export function hasFullAccess(ofInstance: JsonObject, ofScript: JsonObject): boolean {
  return runSettings(ofInstance, ofScript).hasFullAccess;
}
