import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { socialSettings } from '../../shared/accounts/social-variables.ts';
import { readEnvironment as readAws } from '../../shared/platforms/aws/environment.ts';
import { awsSettings, stackVariables } from '../../shared/platforms/aws/settings.ts';
import { listPublicSettings } from '../../shared/platforms/local/environment.ts';
import {
  backupSettings,
  localSettings,
  pushSettings,
} from '../../shared/platforms/local/settings.ts';
import { listPublic, type SettingVariable } from '../../shared/ports/setting-variables.ts';
import { commonSettings } from '../../shared/ports/settings.ts';

const groups = [
  commonSettings,
  localSettings,
  pushSettings,
  backupSettings,
  socialSettings,
  awsSettings,
  stackVariables,
];
const all = groups.flatMap((group) => Object.values<SettingVariable>(group));
const seen = all.filter(({ publicTexts }) => publicTexts !== undefined);

/** What tenants of a server must not see: none of it is a valid value of a setting that they see. */
const hidden = [
  '/srv/groundwork',
  'https://internal.example.com',
  's3://bucket/prefix',
  'idp.internal',
  'idp.internal:8443',
  '10.0.0.1',
  'operator@example.com',
  'AKIAIOSFODNN7EXAMPLE',
  'correct horse battery staple and more',
  'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  'arn:aws:iam::123456789012:role/x',
];

describe('settings that every account may see', () => {
  it.each(seen.map((each) => [each.variable, each] as const))(
    '%s is no secret, and takes no path, address, host or key',
    (_, { isSecret, value }) => {
      expect(isSecret).toBeUndefined();
      expect(hidden.filter((text) => v.safeParse(value, text).success)).toEqual([]);
    },
  );

  it('do not include any of the secrets', () => {
    const secrets = all.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);
    const names = seen.map(({ variable }) => variable);

    expect(secrets).toContain('GROUNDWORK_SMTP_URL');
    expect(names).toContain('GROUNDWORK_REQUEST_LOG');
    expect(names.filter((name) => secrets.includes(name))).toEqual([]);
  });

  it('have the values that are set, else their defaults', () => {
    const variables = { GROUNDWORK_MAX_CLASSES: '7', GROUNDWORK_REQUEST_LOG: '' };
    const values = Object.fromEntries(
      listPublic(commonSettings, variables).map(({ name, value }) => [name, value]),
    );

    expect(values).toMatchObject({
      GROUNDWORK_MAX_CLASSES: '7',
      GROUNDWORK_REQUEST_LOG: 'on',
      GROUNDWORK_PASSWORD_MIN: '1; the console asks for 8',
    });
  });

  it('of one machine show the mode of pushes, and backups only where there is a target', () => {
    const given = { GROUNDWORK_BACKUP_SCHEDULE: '6h', GROUNDWORK_BACKUP_KEEP: '30d' };
    const read = (variables: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        listPublicSettings(variables, { registration: 'local', pushMode: 'outbox' }).map(
          ({ name, value }) => [name, value],
        ),
      );

    expect(read(given)).toMatchObject({
      '--registration': 'local',
      GROUNDWORK_PUSH_MODE: 'outbox',
      GROUNDWORK_BACKUP_SCHEDULE: null,
      GROUNDWORK_BACKUP_KEEP: null,
    });
    expect(read({ ...given, GROUNDWORK_BACKUP_TO: '/srv/backups' })).toMatchObject({
      GROUNDWORK_BACKUP_SCHEDULE: '6h',
      GROUNDWORK_BACKUP_KEEP: '30d',
    });
    expect(JSON.stringify(read({ GROUNDWORK_BACKUP_TO: '/srv/backups' }))).not.toContain('/srv');
  });

  it('of a deployment on AWS are those of its functions', () => {
    const required = Object.values<SettingVariable>(stackVariables).map(({ variable }) => [
      variable,
      'x',
    ]);
    const variables = { ...Object.fromEntries(required), GROUNDWORK_WAITING_RUNS: '9' };
    const values = Object.fromEntries(
      readAws(variables).publicSettings.map(({ name, value }) => [name, value]),
    );

    expect(values).toMatchObject({
      GROUNDWORK_REGISTRATION: 'closed',
      GROUNDWORK_WAITING_RUNS: '9',
    });
    expect(values).not.toHaveProperty('GROUNDWORK_SECRET');
  });
});
