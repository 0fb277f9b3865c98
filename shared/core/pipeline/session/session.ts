import { openScanBudget } from '../../../platform/limits/scans.ts';
import type { Platform } from '../../../platform/ports.ts';
import type { Key } from '../../../store/store.ts';
import type { Request } from '../../http/message.ts';
import type { Router } from '../../http/router.ts';
import type { Opened, Session } from '../../resource/route.ts';
import type { Caller } from '../caller/authentication.ts';
import type { Found } from '../load.ts';
import { createSessionStore } from './session-store.ts';

/** What is known of the call that opens a session, and how it has others answered. */
export interface SessionParts {
  readonly caller: Caller;
  /** Records of the caller and of the place that were read. */
  readonly remembered: Map<string, Found>;
  readonly platform: Platform;
  readonly router: Router;
  /** When the call began, by `performance.now()`. */
  readonly startedMs: number;
  /** Opens calls of the session that differ from the first one in their bodies only. */
  readonly open: (
    requests: readonly Request[],
    first: Request,
    call: SessionCall,
  ) => Promise<readonly Opened[]>;
}

/** What a call inside another one is given. */
export interface SessionCall {
  /** Who made the call that the session is a part of; credentials of the calls inside are not looked at. */
  readonly caller: Caller;
  /** Records of the caller and of the place, until a call writes them. */
  readonly remembered: Map<string, Found>;
  /** Its store bundles what calls side by side ask it for. */
  readonly platform: Platform;
}

/** Opens a session. */
export function openSession(parts: SessionParts): Session {
  const { caller, remembered, router, startedMs } = parts;
  const shared = { caller, remembered, platform: sharedPlatform(parts) };
  return {
    elapsedMs: () => performance.now() - startedMs,
    find: router,
    open: async (requests) => {
      const [first] = requests;
      if (first === undefined) return [];
      const opened = await parts.open(requests, first, shared);
      // lists and their items do nothing that the store does not see; others may run what changes anything
      const kind = router(first.path)?.route.kind;
      return kind === 'action' || kind === 'page' ? opened.map(forgetting) : opened;
    },
  };

  function forgetting({ context, run }: Opened): Opened {
    return { context, run: () => run().finally(() => remembered.clear()) };
  }
}

function sharedPlatform({ platform, remembered }: SessionParts): Platform {
  const written = (keys: readonly Key[]) => {
    for (const [name, { key }] of remembered) {
      if (keys.some(({ pk, sk }) => key.pk === pk && key.sk === sk)) remembered.delete(name);
    }
  };
  const overtaken = () => remembered.clear();
  const store = createSessionStore(platform.store, { written, overtaken });
  const budget = openScanBudget(); // one for all calls of the session
  return { ...platform, store, scans: { open: (share) => platform.scans.open(share, budget) } };
}
