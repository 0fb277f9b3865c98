import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test, vi } from 'vitest';
import {
  readCredentials,
  readEnvironment,
  readSettings,
} from '../../shared/platforms/aws/environment.ts';
import { openLog } from '../../shared/platforms/aws/log/log.ts';
import { openMailer } from '../../shared/platforms/aws/mailer.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';

describe('secrets', () => {
  const first = 'ab'.repeat(32);
  const second = 'cd'.repeat(32);
  const rotated = JSON.stringify({
    current: 2,
    versions: [
      { version: 1, secret: first },
      { version: 2, secret: second },
    ],
  });

  const retired = JSON.stringify({ current: 2, versions: [{ version: 2, secret: second }] });

  function secretsOf(...responses: readonly (string | Error)[]) {
    const client = new SecretsManagerClient({ region: 'eu-west-1' });
    const time = { now: 0 };
    let asked = 0;
    mockClient(client)
      .on(GetSecretValueCommand, { SecretId: 'the-arn' })
      .callsFake(() => {
        const response = responses[Math.min(asked, responses.length - 1)];
        asked += 1;
        if (response instanceof Error) throw response;
        return { SecretString: response };
      });
    const secrets = openSecrets({ client, secret: 'the-arn', nowMs: () => time.now });
    return { secrets, time, asked: () => asked };
  }

  test('the one that the stack has created is version 1, and is fetched once', async () => {
    const { secrets, asked } = secretsOf(first);

    const found = await Promise.all([secrets.current(), secrets.get(1)]);

    const expected = { version: 1, secret: Buffer.from(first, 'hex') };
    expect(found).toEqual([expected, expected]);
    expect(asked()).toBe(1);
  });

  test('after a rotation all versions are known, and the newest is used', async () => {
    const { secrets } = secretsOf(rotated);

    const found = [await secrets.current(), await secrets.get(1), await secrets.get(3)];

    expect(found).toEqual([
      { version: 2, secret: Buffer.from(second, 'hex') },
      { version: 1, secret: Buffer.from(first, 'hex') },
      undefined,
    ]);
  });

  test('an unknown version is fetched again, once a second at most', async () => {
    const { secrets, time, asked } = secretsOf(first, first, rotated);
    const found = [await secrets.get(2)];

    for (const now of [999, 1000, 1999, 2000]) {
      time.now = now;
      const both = await Promise.all([secrets.get(2), secrets.get(77)]);
      found.push(both[0]);
    }

    const late = { version: 2, secret: Buffer.from(second, 'hex') };
    expect(found).toEqual([undefined, undefined, undefined, undefined, late]);
    expect(asked()).toBe(3);
    expect(await secrets.current()).toEqual(late);
  });

  test('a retired version is rejected after ten minutes', async () => {
    const { secrets, time } = secretsOf(rotated, retired);
    const found = [await secrets.get(1)];

    for (const now of [599_999, 600_000]) {
      time.now = now;
      found.push(await secrets.get(1));
    }

    expect(found.map((one) => one?.version)).toEqual([1, 1, undefined]);
  });

  test('a version that is added in advance is used for new keys from its time on', async () => {
    const ahead = { ...JSON.parse(rotated), current: 1, next: { version: 2, from: 90_000 } };
    const { secrets, time, asked } = secretsOf(JSON.stringify(ahead));
    const found = [await secrets.get(2), await secrets.current()];

    for (const now of [59_999, 89_999, 90_000]) {
      time.now = now;
      found.push(await secrets.current());
    }

    expect(found.map((one) => one?.version)).toEqual([2, 1, 1, 1, 2]);
    expect(asked()).toBe(2);
  });

  test('a version that the operator adds is used for new keys within a minute', async () => {
    const { secrets, time, asked } = secretsOf(first, rotated);
    const found = [await secrets.current()];

    for (const now of [59_999, 60_000, 119_999]) {
      time.now = now;
      found.push(await secrets.current());
    }

    expect(found.map(({ version }) => version)).toEqual([1, 1, 2, 2]);
    expect(asked()).toBe(2);
  });

  test('keys are created with the cached versions while the secret cannot be fetched again', async () => {
    const { secrets, time } = secretsOf(first, new Error('no network'), rotated);
    const found = [await secrets.current()];

    for (const now of [60_000, 120_000]) {
      time.now = now;
      found.push(await secrets.current());
    }

    expect(found.map(({ version }) => version)).toEqual([1, 1, 2]);
  });

  test('a fetch that fails is retried for the next caller', async () => {
    const { secrets } = secretsOf(new Error('no network'), first);

    await expect(secrets.current()).rejects.toThrow('no network');

    expect((await secrets.current()).version).toBe(1);
  });

  test('a later fetch that fails keeps the cached versions', async () => {
    const { secrets, time } = secretsOf(first, new Error('no network'));
    await secrets.current();
    time.now = 60_000;

    await expect(secrets.get(2)).rejects.toThrow('no network');
    await expect(secrets.get(2)).rejects.toThrow('no network');

    expect((await secrets.current()).version).toBe(1);
  });

  test.each([
    ['is empty', ''],
    ['is no JSON', '{'],
    ['is too short', 'abcd'],
    ['lacks its current version', '{"current":2,"versions":[]}'],
    ['holds a short version', '{"current":1,"versions":[{"version":1,"secret":"5ec4e7"}]}'],
  ])('one that %s is rejected without being shown', async (_name, text) => {
    const { secrets } = secretsOf(text);

    await expect(secrets.current()).rejects.toThrow(/^the secret is damaged(?!.*5ec4e7)/);
  });
});

describe('log', () => {
  const metrics = { namespace: 'Groundwork/prod', family: 'objects', isByFamily: false };
  const given = { metrics, tableRequests: () => 3 };

  test.each([
    ['error', ['e']],
    ['info', ['i', 'e']],
    ['debug', ['d', 'i', 'e']],
  ] as const)('level %s', (level, expected) => {
    const lines: string[] = [];
    const log = openLog({ level, ...given, write: (line) => lines.push(line) });

    log({ level: 'debug', message: 'd' });
    log({ level: 'info', message: 'i' });
    log({ level: 'error', message: 'e' });

    expect(lines.map((line) => JSON.parse(line).message)).toEqual(expected);
  });

  test('an entry is one line, with the fields that Lambda expects in it', () => {
    const lines: string[] = [];
    const log = openLog({ level: 'info', ...given, write: (line) => lines.push(line) });

    log({ level: 'error', message: 'two\nlines', requestId: 'r', status: 500 });

    expect(lines).toEqual([expect.stringMatching(/^[^\n]*\n$/)]);
    expect(JSON.parse(lines.join(''))).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'ERROR',
      message: 'two\nlines',
      requestId: 'r',
      status: 500,
    });
  });
});

describe('mailer', () => {
  const mail = { to: 'kim@example.com', subject: 'Grüße', text: 'Line one\n\nKey: ä\n' };

  test('a mail is one request, from the sender of the deployment, as plain text', async () => {
    const client = new SESv2Client({ region: 'eu-west-1' });
    const ses = mockClient(client);
    const mailer = openMailer({ from: 'Groundwork <no-reply@example.com>', client });

    await mailer.send(mail);

    expect(ses.calls().map(({ args: [command] }) => command.input)).toEqual([
      {
        FromEmailAddress: 'Groundwork <no-reply@example.com>',
        Destination: { ToAddresses: ['kim@example.com'] },
        Content: {
          Simple: {
            Subject: { Data: 'Grüße', Charset: 'UTF-8' },
            Body: { Text: { Data: 'Line one\n\nKey: ä\n', Charset: 'UTF-8' } },
          },
        },
      },
    ]);
    expect(ses.commandCalls(SendEmailCommand)).toHaveLength(1);
  });

  test('a mail with HTML has both', async () => {
    const client = new SESv2Client({ region: 'eu-west-1' });
    const ses = mockClient(client);

    await openMailer({ from: 'x@example.com', client }).send({ ...mail, html: '<p>ä</p>' });

    expect(ses.commandCalls(SendEmailCommand)[0]?.args[0].input).toMatchObject({
      Content: { Simple: { Body: { Html: { Data: '<p>ä</p>', Charset: 'UTF-8' } } } },
    });
  });

  test('a failure is passed to the caller', async () => {
    const client = new SESv2Client({ region: 'eu-west-1' });
    mockClient(client).on(SendEmailCommand).rejects(new Error('the sender is not verified'));

    const sent = openMailer({ from: 'x@example.com', client }).send(mail);

    await expect(sent).rejects.toThrow('the sender is not verified');
  });

  test.each([
    ['MessageRejected', 400, 'rejected'],
    ['TooManyRequestsException', 429, 'temporary'],
    ['SendingPausedException', 400, 'temporary'],
    ['InternalFailure', 500, 'unconfirmed'],
    ['TimeoutError', undefined, 'unconfirmed'],
  ])('for a job, %s with status %s is a mail that is %s', async (name, status, outcome) => {
    const client = new SESv2Client({ region: 'eu-west-1' });
    const error = Object.assign(new Error('kim@example.com is not verified'), {
      name,
      $metadata: { httpStatusCode: status },
    });
    mockClient(client).on(SendEmailCommand).rejects(error);
    const handOver = vi.fn(() => Promise.resolve());

    const sent = openMailer({ from: 'x@example.com', client }).send(mail, { handOver });

    await expect(sent).rejects.toMatchObject({ outcome, message: `SES responded ${name}` });
    expect(handOver).toHaveBeenCalledTimes(1);
  });
});

describe('environment', () => {
  const places = {
    GROUNDWORK_TABLE: 'a-table',
    GROUNDWORK_SECRET: 'an-arn',
    GROUNDWORK_FILES: 'a-bucket',
    GROUNDWORK_FILES_URL: 'https://cdn.example',
    GROUNDWORK_PUSH: 'groundwork_prod',
    GROUNDWORK_VAULT: 'a-key',
    GROUNDWORK_API_URL: 'https://api.example.com',
    GROUNDWORK_SCRIPTS: 'groundwork-prod',
    GROUNDWORK_SCRIPT_ROLE: 'a-role',
    GROUNDWORK_METRICS: 'Groundwork/prod',
    GROUNDWORK_FAMILY: 'batch',
  };

  test('requires the location of the data, and has defaults for all other settings', () => {
    expect(readEnvironment(places)).toEqual({
      publicSettings: expect.any(Array),
      table: 'a-table',
      secret: 'an-arn',
      files: { bucket: 'a-bucket', address: 'https://cdn.example' },
      push: { prefix: 'groundwork_prod', key: 'a-key' },
      apiUrl: 'https://api.example.com',
      scripts: { prefix: 'groundwork-prod', role: 'a-role' },
      logLevel: 'info',
      requestLog: 'on',
      logGroups: [],
      metrics: { namespace: 'Groundwork/prod', family: 'batch', isByFamily: false },
      settings: {
        registration: 'closed',
        maxInstances: 16,
        maxClasses: 100,
        location: 'eu1',
        passwordCost: 15,
      },
      mailFrom: undefined,
      pollSlots: 100,
      scriptMegabytes: 1024,
      keepsRuns: false,
      waitingRuns: 16,
      social: {},
    });
  });

  test('has no key of KMS unless it names one', () => {
    const { GROUNDWORK_VAULT: _, ...others } = places;

    expect(readEnvironment(others).push).toEqual({ prefix: 'groundwork_prod', key: undefined });
  });

  test('is read', () => {
    const settings = {
      GROUNDWORK_LOG: 'error',
      GROUNDWORK_REQUEST_LOG: 'off',
      GROUNDWORK_REGISTRATION: 'open',
      GROUNDWORK_MAX_INSTANCES: '3',
      GROUNDWORK_MAX_CLASSES: '4',
      GROUNDWORK_LOCATION: 'cellar',
      GROUNDWORK_PASSWORD_COST: '10',
      GROUNDWORK_PASSWORD_MIN: '8',
      GROUNDWORK_INSTANCE_RATE: '60',
      GROUNDWORK_POLL_SECONDS: '20',
      GROUNDWORK_POLL_SLOTS: '500',
      GROUNDWORK_SCRIPT_MEMORY: '2048',
      GROUNDWORK_MAX_OBJECT_BYTES: '1000000',
      GROUNDWORK_MAX_FILE_BYTES: '2000000',
      GROUNDWORK_MAX_TRACE_BYTES: '3000000',
      GROUNDWORK_MAX_BACKUP_BYTES: '4000000',
    };

    expect(readSettings(settings)).toEqual({
      logLevel: 'error',
      requestLog: 'off',
      pollSlots: 500,
      scriptMegabytes: 2048,
      waitingRuns: 16,
      settings: {
        registration: 'open',
        maxInstances: 3,
        maxClasses: 4,
        location: 'cellar',
        passwordCost: 10,
        passwordMin: 8,
        instanceRate: 60,
        pollMs: 20_000,
        maxObjectBytes: 1_000_000,
        maxFileBytes: 2_000_000,
        maxTraceBytes: 3_000_000,
        maxBackupBytes: 4_000_000,
      },
    });
  });

  test('names the sender of mails, and the services for log-ins', () => {
    const more = {
      GROUNDWORK_MAIL_FROM: 'no-reply@example.com',
      GROUNDWORK_GOOGLE_CLIENT_ID: 'our-client',
    };

    expect(readEnvironment({ ...places, ...more })).toMatchObject({
      mailFrom: 'no-reply@example.com',
      social: { google: { clientId: 'our-client' } },
    });
    expect(readEnvironment({ ...places, GROUNDWORK_MAIL_FROM: '' }).mailFrom).toBeUndefined();
  });

  test.each([
    ['GROUNDWORK_MAIL_FROM', 'nobody', 'GROUNDWORK_MAIL_FROM takes an address'],
    ['GROUNDWORK_GITHUB_CLIENT_ID', 'x', 'GROUNDWORK_GITHUB_CLIENT_SECRET takes a value'],
    ['GROUNDWORK_TABLE', undefined, 'GROUNDWORK_TABLE takes a value'],
    ['GROUNDWORK_SECRET', '', 'GROUNDWORK_SECRET takes a value'],
    ['GROUNDWORK_FILES', undefined, 'GROUNDWORK_FILES takes a value'],
    ['GROUNDWORK_FILES_URL', undefined, 'GROUNDWORK_FILES_URL takes a value'],
    ['GROUNDWORK_LOG', 'loud', 'GROUNDWORK_LOG takes one of error, info, debug'],
    ['GROUNDWORK_REGISTRATION', 'yes', 'GROUNDWORK_REGISTRATION takes one of closed, open'],
    ['GROUNDWORK_MAX_CLASSES', '0', 'GROUNDWORK_MAX_CLASSES takes at least 1'],
    ['GROUNDWORK_PASSWORD_COST', '21', 'GROUNDWORK_PASSWORD_COST takes at most 20'],
    ['GROUNDWORK_INSTANCE_RATE', '59', 'GROUNDWORK_INSTANCE_RATE takes at least 60'],
    ['GROUNDWORK_SCRIPT_MEMORY', '128', 'GROUNDWORK_SCRIPT_MEMORY takes at least 256'],
    ['GROUNDWORK_MAX_INSTANCES', 'x', 'GROUNDWORK_MAX_INSTANCES takes a whole number'],
  ])('%s=%s is rejected', (name, value, message) => {
    expect(() => readEnvironment({ ...places, [name]: value })).toThrow(message);
  });

  test('credentials are those from Lambda', () => {
    const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

    expect([readCredentials(key), readCredentials({ ...key, AWS_SESSION_TOKEN: 't' })]).toEqual([
      { accessKeyId: 'id', secretAccessKey: 'secret' },
      { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 't' },
    ]);
    expect(() => readCredentials({})).toThrow('AWS_ACCESS_KEY_ID takes a value');
  });
});
