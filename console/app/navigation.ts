import type { IconName } from '../parts/icon.tsx';

interface NavigationEntry {
  /** Below `/i/<instance>/`. */
  readonly path: string;
  readonly text: string;
  readonly icon: IconName;
}

/** Groups of the navigation of an instance. The classes of the instance follow *Data*. */
export const navigation: readonly {
  readonly title: string;
  readonly screens: readonly NavigationEntry[];
}[] = [
  {
    title: 'Code',
    screens: [
      { path: 'scripts', text: 'Scripts', icon: 'scripts' },
      { path: 'endpoints', text: 'Endpoints', icon: 'endpoints' },
      { path: 'templates', text: 'Templates', icon: 'templates' },
      { path: 'triggers', text: 'Triggers', icon: 'triggers' },
      { path: 'schedules', text: 'Schedules', icon: 'schedules' },
      { path: 'channels', text: 'Channels', icon: 'channels' },
    ],
  },
  {
    title: 'People',
    screens: [
      { path: 'users', text: 'Users', icon: 'users' },
      { path: 'groups', text: 'Groups', icon: 'groups' },
      { path: 'user-settings', text: 'User log-in', icon: 'signIn' },
      { path: 'keys', text: 'API keys', icon: 'keys' },
      { path: 'admins', text: 'Admins', icon: 'admins' },
      { path: 'push', text: 'Push', icon: 'push' },
    ],
  },
  {
    title: 'Operation',
    screens: [
      { path: 'requests', text: 'Requests', icon: 'requests' },
      { path: 'usage', text: 'Usage', icon: 'usage' },
      { path: 'health', text: 'Health', icon: 'health' },
      { path: 'backups', text: 'Backups', icon: 'backups' },
      { path: 'settings', text: 'Settings', icon: 'settings' },
    ],
  },
];
