import type { FunctionComponent } from 'preact';
import { matchPattern } from '../core/place-names.ts';
import type { ScreenProps } from '../core/router.ts';

/** A module in `screens/`. */
interface ScreenModule {
  readonly Screen: FunctionComponent<ScreenProps>;
}

interface ScreenEntry {
  readonly path: string;
  readonly load: () => Promise<ScreenModule>;
  /** Is shown without an account. */
  readonly isOpen?: true;
  /** Path of a place with the same screen, which stays as it is when one is opened from the other. */
  readonly within?: string;
}

const grid = {
  load: () => import('../screens/objects/objects.tsx'),
  within: '/i/:instance/data/:class',
};

/** THE MAP: every screen, one line each. Its code is loaded when it is opened. */
const screens: readonly ScreenEntry[] = [
  { path: '/', load: () => import('../screens/instances/instances.tsx') },
  { path: '/sign-in', load: () => import('../screens/account/sign-in.tsx'), isOpen: true },
  { path: '/sign-up', load: () => import('../screens/account/sign-up.tsx'), isOpen: true },
  {
    path: '/reset-password',
    load: () => import('../screens/account/reset-password.tsx'),
    isOpen: true,
  },
  {
    path: '/reset-password/confirm',
    load: () => import('../screens/account/confirm-password.tsx'),
    isOpen: true,
  },
  { path: '/activate', load: () => import('../screens/account/activate.tsx'), isOpen: true },
  { path: '/invitation', load: () => import('../screens/account/invitation.tsx'), isOpen: true },
  { path: '/parts', load: () => import('../screens/parts/parts.tsx'), isOpen: true },
  { path: '/account', load: () => import('../screens/account/account.tsx') },
  { path: '/backups', load: () => import('../screens/backups/account-backups.tsx') },
  { path: '/i/:instance', load: () => import('../screens/operation/overview.tsx') },
  { path: '/i/:instance/data', load: () => import('../screens/data/classes.tsx') },
  { path: '/i/:instance/structure', load: () => import('../screens/data/structure.tsx') },
  { path: '/i/:instance/structure/:class', load: () => import('../screens/data/structure.tsx') },
  { path: '/i/:instance/rights/:class', load: () => import('../screens/data/rights.tsx') },
  { path: '/i/:instance/reference/:class', load: () => import('../screens/data/reference.tsx') },
  { path: '/i/:instance/triggers', load: () => import('../screens/triggers/triggers.tsx') },
  { path: '/i/:instance/triggers/:id', load: () => import('../screens/triggers/triggers.tsx') },
  { path: '/i/:instance/schedules', load: () => import('../screens/schedules/schedules.tsx') },
  { path: '/i/:instance/schedules/:id', load: () => import('../screens/schedules/schedules.tsx') },
  { path: '/i/:instance/channels', load: () => import('../screens/channels/channels.tsx') },
  { path: '/i/:instance/channels/:name', load: () => import('../screens/channels/channels.tsx') },
  { path: '/i/:instance/templates', load: () => import('../screens/templates/templates.tsx') },
  {
    path: '/i/:instance/templates/:name',
    load: () => import('../screens/templates/templates.tsx'),
  },
  {
    path: '/i/:instance/endpoints/data',
    load: () => import('../screens/data-endpoints/new-data-endpoint.tsx'),
  },
  {
    path: '/i/:instance/endpoints/data/:name',
    load: () => import('../screens/data-endpoints/data-endpoint.tsx'),
  },
  { path: '/i/:instance/push', load: () => import('../screens/push/push.tsx') },
  { path: '/i/:instance/push/:service', load: () => import('../screens/push/push.tsx') },
  { path: '/i/:instance/push/:service/:device', load: () => import('../screens/push/device.tsx') },
  { path: '/i/:instance/keys', load: () => import('../screens/keys/keys.tsx') },
  { path: '/i/:instance/admins', load: () => import('../screens/admins/admins.tsx') },
  { path: '/i/:instance/requests', load: () => import('../screens/requests/requests.tsx') },
  { path: '/i/:instance/usage', load: () => import('../screens/operation/usage.tsx') },
  { path: '/i/:instance/health', load: () => import('../screens/operation/health.tsx') },
  { path: '/i/:instance/backups', load: () => import('../screens/backups/backups.tsx') },
  { path: '/i/:instance/settings', load: () => import('../screens/operation/settings.tsx') },
  { path: '/i/:instance/scripts', load: () => import('../screens/scripts/scripts.tsx') },
  { path: '/i/:instance/scripts/:id', load: () => import('../screens/scripts/script.tsx') },
  { path: '/i/:instance/endpoints', load: () => import('../screens/endpoints/endpoints.tsx') },
  {
    path: '/i/:instance/endpoints/scripts/:name',
    load: () => import('../screens/endpoints/script-endpoint.tsx'),
  },
  { path: '/i/:instance/data/:class', ...grid },
  { path: '/i/:instance/data/:class/new', ...grid },
  { path: '/i/:instance/data/:class/:id', ...grid },
  { path: '/i/:instance/users', load: () => import('../screens/users/users.tsx') },
  { path: '/i/:instance/users/:id', load: () => import('../screens/users/users.tsx') },
  {
    path: '/i/:instance/user-settings',
    load: () => import('../screens/user-settings/user-settings.tsx'),
  },
  { path: '/i/:instance/groups', load: () => import('../screens/groups/groups.tsx') },
  { path: '/i/:instance/groups/:id', load: () => import('../screens/groups/groups.tsx') },
];

interface FoundScreen extends ScreenEntry, ScreenProps {
  /** Path of the place that the screen is kept for. */
  readonly base: string;
}

/** The screen of a path, with the names in it; undefined when there is none, also for names that cannot exist. */
export function findScreen(path: string): FoundScreen | undefined {
  for (const screen of screens) {
    const names = matchPattern(screen.path, path);
    if (names === undefined) continue;
    const isBelow = screen.within !== undefined && screen.within !== screen.path;
    const below = isBelow ? path.split('/').at(-1) : undefined;
    const base = below === undefined ? path : path.slice(0, -1 - below.length);
    return { ...screen, names, base, below };
  }
  return undefined;
}
