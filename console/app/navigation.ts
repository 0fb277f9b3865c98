/** Groups of the navigation of an instance: screens by their path below `/i/<instance>/`. */
export const navigation: readonly {
  readonly title: string;
  readonly screens: readonly (readonly [path: string, text: string])[];
}[] = [
  { title: 'Data', screens: [['data', 'Classes']] },
  {
    title: 'Code',
    screens: [
      ['scripts', 'Scripts'],
      ['endpoints', 'Endpoints'],
      ['templates', 'Templates'],
      ['triggers', 'Triggers'],
      ['schedules', 'Schedules'],
      ['channels', 'Channels'],
    ],
  },
  {
    title: 'People',
    screens: [
      ['users', 'Users'],
      ['user-settings', 'Log-in of users'],
      ['groups', 'Groups'],
      ['push', 'Push'],
      ['keys', 'API keys'],
      ['admins', 'Admins'],
    ],
  },
  {
    title: 'Operation',
    screens: [
      ['usage', 'Usage'],
      ['health', 'Health'],
      ['backups', 'Backups'],
      ['settings', 'Settings'],
    ],
  },
];
