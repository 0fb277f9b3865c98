import type { FunctionComponent } from 'preact';
import { matchPath, type PathNames } from '../core/router.ts';

/** Props of a screen: the names in its path. */
export interface ScreenProps {
  readonly names: PathNames;
}

/** A module in `screens/`. */
interface ScreenModule {
  readonly Screen: FunctionComponent<ScreenProps>;
}

interface ScreenEntry {
  readonly path: string;
  readonly load: () => Promise<ScreenModule>;
  /** Is shown without an account. */
  readonly isOpen?: true;
}

/** THE MAP: every screen, one line each. Its code is loaded when it is opened. */
const screens: readonly ScreenEntry[] = [
  { path: '/', load: () => import('../screens/instances/instances.tsx') },
  { path: '/sign-in', load: () => import('../screens/account/sign-in.tsx'), isOpen: true },
  { path: '/sign-up', load: () => import('../screens/account/sign-up.tsx'), isOpen: true },
  { path: '/account', load: () => import('../screens/account/account.tsx') },
  { path: '/i/:instance', load: () => import('../screens/operation/overview.tsx') },
  { path: '/i/:instance/usage', load: () => import('../screens/operation/usage.tsx') },
  { path: '/i/:instance/health', load: () => import('../screens/operation/health.tsx') },
  { path: '/i/:instance/backups', load: () => import('../screens/operation/backups.tsx') },
  { path: '/i/:instance/settings', load: () => import('../screens/operation/settings.tsx') },
];

/** The screen of a path, with the names in it; undefined when there is none. */
export function findScreen(path: string): (ScreenEntry & ScreenProps) | undefined {
  for (const screen of screens) {
    const names = matchPath(screen.path, path);
    if (names !== undefined) return { ...screen, names };
  }
  return undefined;
}
