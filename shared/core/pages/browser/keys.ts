import { byId } from './dom.ts';

/** The keys of the tab; an empty string means no key. */
export interface Keys {
  readonly api: string;
  readonly user: string;
}

const kinds = ['api', 'user'] as const;
const names: Keys = { api: 'groundwork-key', user: 'groundwork-user-key' };
let keys = readKeys();

export function currentKeys(): Keys {
  return keys;
}

export function hasKeys(): boolean {
  return keys.api !== '' || keys.user !== '';
}

/** Uses these keys from now on, in this tab. */
export function storeKeys(next: Keys): void {
  keys = { api: next.api.trim(), user: next.user.trim() };
  try {
    for (const kind of kinds) {
      if (keys[kind]) sessionStorage.setItem(names[kind], keys[kind]);
      else sessionStorage.removeItem(names[kind]);
    }
  } catch {
    // storage may be blocked: the keys are kept until this document is unloaded
  }
  showKeys();
}

function readKeys(): Keys {
  try {
    const [api, user] = kinds.map((kind) => sessionStorage.getItem(names[kind]) ?? '');
    return { api: api ?? '', user: user ?? '' };
  } catch {
    return { api: '', user: '' }; // storage is blocked
  }
}

/** Shows the keys in their form. */
export function showKeys(): void {
  for (const kind of kinds) byId(`keys-${kind}`, HTMLInputElement).value = keys[kind];
  byId('keys-state', HTMLElement).textContent = hasKeys() ? ': in use' : ': none';
}

/** Returns the headers of a request with the current keys. */
export function keyHeaders(accept: string): Record<string, string> {
  return {
    Accept: accept,
    ...(keys.api && { 'X-API-KEY': keys.api }),
    ...(keys.user && { 'X-USER-KEY': keys.user }),
  };
}
