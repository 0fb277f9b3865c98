import { openScanBudget } from '../../../ports/limits/scans.ts';
import type { Platform } from '../../../ports/ports.ts';
import type { Key, Write } from '../../../store/store.ts';
import type { InnerRequest } from '../../http/message.ts';
import { existingMatch } from '../../routing/existing-match.ts';
import type { Opened, OpenedGroup, Session } from '../../routing/route.ts';
import type { Router } from '../../routing/router.ts';
import type { Caller } from '../caller/authentication.ts';
import type { Found } from '../load.ts';
import { createSessionStore } from './session-store.ts';

/** Values of the request that opens a session, and the function that opens others. */
export interface SessionParts {
  readonly caller: Caller;
  /** Records of the caller and of the path that were read. */
  readonly remembered: Map<string, Found>;
  readonly platform: Platform;
  readonly router: Router;
  /** Start of the request, by `performance.now()`. */
  readonly startedMs: number;
  /** Opens requests of the session that differ from the first one only in their bodies. */
  readonly open: (
    requests: readonly InnerRequest[],
    first: InnerRequest,
    call: SessionCall,
  ) => Promise<OpenedGroup>;
}

/** Values that a request inside another one receives. */
export interface SessionCall {
  /** The caller of the outer request; credentials of the inner requests are ignored. */
  readonly caller: Caller;
  /** Records of the caller and of the path, until a request writes them. */
  readonly remembered: Map<string, Found>;
  /** Its store combines the operations of concurrent requests. */
  readonly platform: Platform;
}

export function openSession(parts: SessionParts): Session {
  const { caller, remembered, router, startedMs } = parts;
  const shared = { caller, remembered, platform: sharedPlatform(parts) };
  return {
    elapsedMs: () => performance.now() - startedMs,
    find: (paths) =>
      Promise.all(paths.map(async (path) => existingMatch(parts.platform, await router(path)))),
    open: async (requests) => {
      const [first] = requests;
      if (first === undefined) return toGroup([]);
      const group = await parts.open(requests, first, shared);
      return group.opened.some(mayChangeAnything) ? toGroup(group.opened.map(forgetting)) : group;
    },
  };

  function forgetting({ context, run }: Opened): Opened {
    return { context, run: () => run().finally(() => remembered.clear()) };
  }
}

/** Returns a group of which all requests are run one by one. */
export function toGroup(opened: readonly Opened[]): OpenedGroup {
  return { opened, runAll: () => opened.map(({ run }) => run()) };
}

/** Checks whether a request may run code: the store sees everything that lists and their items do. */
function mayChangeAnything({ context }: Opened): boolean {
  const kind = context?.route.kind;
  return kind === 'action' || kind === 'page';
}

/** Checks whether an item is written; a loop, as it is called for each write of a batch and each record. */
function isWritten(writes: readonly Write[], { pk, sk }: Key): boolean {
  for (const { key } of writes) if (key.sk === sk && key.pk === pk) return true;
  return false;
}

function sharedPlatform({ platform, remembered }: SessionParts): Platform {
  const written = (writes: readonly Write[]) => {
    for (const [name, { key }] of remembered) {
      if (isWritten(writes, key)) remembered.delete(name);
    }
  };
  const overtaken = () => remembered.clear();
  const store = createSessionStore(platform.store, { written, overtaken });
  const budget = openScanBudget(); // one for all requests of the session
  return { ...platform, store, scans: { open: (share) => platform.scans.open(share, budget) } };
}
