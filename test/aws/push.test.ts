import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  CreatePlatformApplicationCommand,
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  DeletePlatformApplicationCommand,
  PublishCommand,
  SetEndpointAttributesCommand,
  SetPlatformApplicationAttributesCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, test as base, describe, expect, onTestFinished } from 'vitest';
import { openSender } from '../../shared/platforms/aws/push.ts';
import { openVault } from '../../shared/platforms/aws/vault.ts';
import { temporarySecrets } from '../../shared/platforms/local/secrets.ts';
import { KeyGone } from '../../shared/ports/ports.ts';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { configure, serviceAccount } from '../support/push.ts';

const sns = mockClient(SNSClient);
afterAll(() => sns.restore()); // files after this one share the process
const app = 'arn:aws:sns:eu-west-1:1:app/GCM/groundwork_prod_1_gcm_development';
const endpoint = (token: string) => `${app.replace(':app/', ':endpoint/')}/${token}`;
const it = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('api', async ({}, { onCleanup }) => {
    const api = await startApi({ push: openPush() });
    onCleanup(() => api.close());
    return api;
  })
  .extend('world', ({ api }) => openWorld(api));

it('a service account creates an application; another one changes it; none deletes it', async ({
  api,
  world,
}) => {
  await call(world, 'PUT', 'config/', { development_api_key: serviceAccount });
  await call(world, 'PATCH', 'config/', { development_api_key: JSON.stringify(serviceAccount) });
  await send(world, ['a']);
  await call(world, 'PATCH', 'config/', { development_api_key: null });
  await api.platform.idle();

  const Attributes = { PlatformCredential: JSON.stringify(serviceAccount) };
  expect(inputs(CreatePlatformApplicationCommand)).toEqual([
    { Name: 'groundwork_prod_1_gcm_development', Platform: 'GCM', Attributes },
  ]);
  expect(inputs(SetPlatformApplicationAttributesCommand)).toEqual([
    { PlatformApplicationArn: app, Attributes },
  ]);
  expect(inputs(DeleteEndpointCommand)).toEqual([{ EndpointArn: endpoint('a') }]);
  expect(inputs(DeletePlatformApplicationCommand)).toEqual([{ PlatformApplicationArn: app }]);
});

it('a credential that SNS rejects is rejected under its field, and not stored', async ({
  world,
}) => {
  sns.on(CreatePlatformApplicationCommand).rejects(awsError('InvalidParameterException'));

  const { status, body } = await call(world, 'PUT', 'config/', {
    development_api_key: serviceAccount,
  });

  expect([status, Object.keys(body)]).toEqual([400, ['development_api_key']]);
  expect((await call(world, 'GET', 'config/')).body.development_api_key).toBeNull();
});

it('a credential that SNS may not be given is a server error, not load', async ({ api, world }) => {
  sns.on(CreatePlatformApplicationCommand).rejects(awsError('AuthorizationErrorException'));

  const { status, body } = await call(world, 'PUT', 'config/', {
    development_api_key: serviceAccount,
  });

  expect([status, body]).toEqual([500, { detail: 'Internal server error.' }]);
  expect(errors(api)).toEqual([['SNS', 'CreatePlatformApplication']]);
});

describe('a push', () => {
  it.beforeEach(({ world }) => configure(world, 'gcm'));

  it('to a new token creates its endpoint; to a known one it uses that', async ({ world }) => {
    expected(await call(world, 'POST', 'devices/', { registration_id: 'a' }), 201);

    const first = await send(world, ['a']);
    const second = await send(world, ['a'], { time_to_live: 60, priority: 'high' });

    expect(inputs(CreatePlatformEndpointCommand)).toEqual([
      { PlatformApplicationArn: app, Token: 'a', CustomUserData: '1/1' },
    ]);
    const target = { TargetArn: endpoint('a'), MessageStructure: 'json' };
    const payload = (message: object) =>
      JSON.stringify({
        default: '',
        GCM: JSON.stringify({ fcmV1Message: { validate_only: false, message } }),
      });
    expect(inputs(PublishCommand)).toEqual([
      { ...target, Message: payload({ data: { n: '1' } }) },
      {
        ...target,
        Message: payload({ data: { n: '1' }, android: { priority: 'high', ttl: '60s' } }),
        MessageAttributes: { 'AWS.SNS.MOBILE.FCM.TTL': { DataType: 'String', StringValue: '60' } },
      },
    ]);
    expect([first.status, first.result]).toEqual([
      'delivered',
      { success: { a: `sent-to-${endpoint('a')}` } },
    ]);
    expect(second.status).toBe('delivered');
  });

  it('to a token that SNS has with other attributes takes its endpoint over', async ({ world }) => {
    const text = `Invalid parameter: Token Reason: Endpoint ${endpoint('a')} already exists with the same Token, but different attributes.`;
    sns.on(CreatePlatformEndpointCommand).rejects(awsError('InvalidParameterException', text));

    const { status } = await send(world, ['a']);

    expect(status).toBe('delivered');
    expect(inputs(SetEndpointAttributesCommand)).toEqual([
      {
        EndpointArn: endpoint('a'),
        Attributes: { Token: 'a', Enabled: 'true', CustomUserData: '1/-' },
      },
    ]);
    expect(inputs(PublishCommand)).toMatchObject([{ TargetArn: endpoint('a') }]);
  });

  it('to an invalid token has that error, and deactivates the device', async ({ world }) => {
    expected(await call(world, 'POST', 'devices/', { registration_id: 'a' }), 201);
    sns.on(CreatePlatformEndpointCommand).rejects(awsError('InvalidParameterException'));

    const { status, result } = await send(world, ['a']);

    expect([status, result]).toEqual(['error', { errors: { InvalidRegistration: ['a'] } }]);
    expect((await call(world, 'GET', 'devices/a/')).body.is_active).toBe(false);
  });

  it('to a disabled endpoint deactivates the device, until it is activated again', async ({
    api,
    world,
  }) => {
    expected(await call(world, 'POST', 'devices/', { registration_id: 'a' }), 201);
    refuseOnce(sns.on(PublishCommand), 'EndpointDisabledException', { MessageId: 'id' });

    const first = await send(world, ['a']);
    const device = (await call(world, 'GET', 'devices/a/')).body;
    const second = await send(world, ['a']);
    const published = inputs(PublishCommand).length;
    await call(world, 'PATCH', 'devices/a/', { is_active: true });
    await api.platform.idle();
    const third = await send(world, ['a']);

    const gone = ['error', { errors: { NotRegistered: ['a'] } }];
    expect([first.status, first.result]).toEqual(gone);
    expect(device.is_active).toBe(false);
    expect([second.status, second.result]).toEqual(gone);
    expect(published).toBe(1);
    expect(inputs(SetEndpointAttributesCommand)).toEqual([
      { EndpointArn: endpoint('a'), Attributes: { Token: 'a', Enabled: 'true' } },
    ]);
    expect(third.status).toBe('delivered');
  });

  it('whose endpoint was deleted creates another one, and so does a deleted application', async ({
    world,
  }) => {
    await send(world, ['a']);
    refuseOnce(sns.on(PublishCommand), 'NotFoundException', { MessageId: 'id' });
    const made = { EndpointArn: endpoint('a') };
    refuseOnce(sns.on(CreatePlatformEndpointCommand), 'NotFoundException', made);

    const { status } = await send(world, ['a']);

    expect(status).toBe('delivered');
    // one per environment at first, and the missing one
    expect(inputs(CreatePlatformApplicationCommand)).toHaveLength(3);
    expect(inputs(CreatePlatformEndpointCommand)).toHaveLength(3);
    expect(inputs(PublishCommand)).toHaveLength(3);
  });

  it('with an invalidated credential fails as a whole', async ({ world }) => {
    sns.on(PublishCommand).rejects(awsError('PlatformApplicationDisabledException'));

    const { status, result } = await send(world, ['a', 'b']);

    expect([status, result]).toEqual([
      'error',
      'There was an error authenticating the sender account.',
    ]);
  });

  it('that SNS throttled is retried; one with a lost response is not', async ({ world }) => {
    sns
      .on(PublishCommand)
      .rejectsOnce(awsError('ThrottledException'))
      .rejectsOnce(awsError('ThrottledException'))
      .resolvesOnce({ MessageId: 'first' })
      .rejectsOnce(awsError('TimeoutError'));

    const first = await send(world, ['a']);
    const second = await send(world, ['b']);

    expect(first.result).toEqual({ success: { a: 'first' } });
    expect(second.result).toEqual({ errors: { Unknown: ['b'] } });
    expect(inputs(PublishCommand)).toHaveLength(4);
  });

  it('that SNS refuses is logged once for all devices, and is tried again', async ({
    api,
    world,
  }) => {
    sns.on(PublishCommand).rejects(awsError('AuthorizationErrorException'));

    const { status } = await send(world, ['a', 'b', 'c']);

    expect(status).toBe('scheduled');
    expect(errors(api)).toEqual([['SNS', 'Publish']]);
  });

  it('to a thousand devices, some unregistered, reaches the others, each once', async ({
    world,
  }) => {
    const tokens = Array.from({ length: 1000 }, (_, at) => `token-${at}`);
    sns.on(PublishCommand).callsFake(({ TargetArn }) => {
      if (/[05]$/.test(TargetArn)) throw awsError('EndpointDisabledException');
      return { MessageId: 'id' };
    });

    const { status, result } = await send(world, tokens);

    const targets = inputs(PublishCommand).map(
      (input) => (input as { TargetArn: string }).TargetArn,
    );
    expect(status).toBe('partially_delivered');
    expect(Object.keys(result.success)).toHaveLength(800);
    expect(result.errors.NotRegistered).toEqual(tokens.filter((token) => /[05]$/.test(token)));
    expect(targets).toHaveLength(1000);
    expect(new Set(targets).size).toBe(1000);
  });

  it('omits SNS messages about a token from the log', async ({ api, world }) => {
    const text = 'Invalid parameter: token-of-mine';
    sns.on(CreatePlatformEndpointCommand).rejects(awsError('InternalErrorException', text));

    await send(world, ['token-of-mine']);

    expect(JSON.stringify(api.logged)).not.toContain('of-mine');
  });

  it('an instance that is deleted leaves no resources at SNS', async ({ api, world }) => {
    await send(world, ['a']);
    expected(await world.own('DELETE', ''), 204);
    await api.platform.idle();

    expect(inputs(DeleteEndpointCommand)).toEqual([{ EndpointArn: endpoint('a') }]);
    expect(inputs(DeletePlatformApplicationCommand)).toHaveLength(2);
  });
});

it('the vault encrypts with a data key for the same context', async () => {
  const kms = mockClient(KMSClient);
  onTestFinished(() => kms.restore());
  const data = new Uint8Array(32).fill(7);
  kms
    .on(GenerateDataKeyCommand)
    .resolves({ Plaintext: data, CiphertextBlob: Buffer.from('locked') });
  kms.on(DecryptCommand).resolves({ Plaintext: data });
  const client = new KMSClient({ region: 'eu-west-1' });
  const vault = openVault({ key: 'arn:key', secrets: temporarySecrets(), client });
  const context = { instance: '1' };

  const sealed = await vault.seal('secret', context);
  const opened = await vault.open(sealed, context);

  expect(sealed).not.toContain('secret');
  expect(opened).toBe('secret');
  expect(kms.commandCalls(GenerateDataKeyCommand)[0]?.args[0].input).toEqual({
    KeyId: 'arn:key',
    KeySpec: 'AES_256',
    EncryptionContext: context,
  });
  expect(kms.commandCalls(DecryptCommand)[0]?.args[0].input).toEqual({
    KeyId: 'arn:key',
    CiphertextBlob: Buffer.from('locked'),
    EncryptionContext: context,
  });
  await expect(vault.open(sealed, { instance: '2' })).rejects.toThrow();
});

describe('a vault', () => {
  const kms = mockClient(KMSClient);
  afterAll(() => kms.restore());
  const data = new Uint8Array(32).fill(7);
  const context = { instance: '1' };
  const secrets = temporarySecrets();
  const it = base.extend('vaults', () => {
    kms.reset();
    kms
      .on(GenerateDataKeyCommand)
      .resolves({ Plaintext: data, CiphertextBlob: Buffer.from('locked') });
    kms.on(DecryptCommand).resolves({ Plaintext: data });
    const client = new KMSClient({ region: 'eu-west-1' });
    return {
      withKey: openVault({ key: 'arn:key', secrets, client }),
      without: openVault({ key: undefined, secrets, client }),
    };
  });

  it('without a key seals under the master secret, and asks KMS nothing', async ({ vaults }) => {
    const sealed = await vaults.without.seal('secret', context);

    expect(sealed).toMatch(/^1\.[\w+/=]+$/);
    expect(sealed).not.toContain('secret');
    expect(await vaults.without.open(sealed, context)).toBe('secret');
    await expect(vaults.without.open(sealed, { instance: '2' })).rejects.toThrow();
    expect(kms.calls()).toEqual([]);
  });

  it('with a key opens what was sealed before there was one', async ({ vaults }) => {
    const sealed = await vaults.without.seal('secret', context);

    expect(await vaults.withKey.open(sealed, context)).toBe('secret');
    expect(kms.calls()).toEqual([]);
  });

  it('without a key says so of what a key has sealed', async ({ vaults }) => {
    const sealed = await vaults.withKey.seal('secret', context);
    kms.resetHistory();

    const opening = vaults.without.open(sealed, context);

    await expect(opening).rejects.toThrow(KeyGone);
    await expect(opening).rejects.toThrow(/a key of KMS.*keyArn/);
    expect(kms.calls()).toEqual([]);
  });

  it('with another key says so of what the former has sealed, and nothing of that of other errors', async ({
    vaults,
  }) => {
    const sealed = await vaults.withKey.seal('secret', context);
    const openWith = (name: string) => {
      kms.reset(); // replaces what a client has bound: the next one is new
      kms.on(DecryptCommand).rejects(Object.assign(new Error(name), { name }));
      const another = new KMSClient({ region: 'eu-west-1' });
      return openVault({ key: 'arn:other', secrets, client: another }).open(sealed, context);
    };

    await expect(openWith('IncorrectKeyException')).rejects.toThrow(KeyGone);
    await expect(openWith('AccessDeniedException')).rejects.toThrow('AccessDeniedException');
  });

  it('says so of what a retired secret has sealed', async ({ vaults }) => {
    await expect(vaults.without.open('9.AAAA', context)).rejects.toThrow(KeyGone);
  });
});

/** Push services of AWS that accept every request. */
function openPush() {
  sns.reset();
  sns.on(CreatePlatformApplicationCommand).callsFake(({ Platform, Name }) => ({
    PlatformApplicationArn: `arn:aws:sns:eu-west-1:1:app/${Platform}/${Name}`,
  }));
  sns.on(SetPlatformApplicationAttributesCommand).resolves({});
  sns
    .on(CreatePlatformEndpointCommand)
    .callsFake(({ Token }) => ({ EndpointArn: endpoint(Token) }));
  sns.on(SetEndpointAttributesCommand).resolves({});
  sns.on(DeleteEndpointCommand).resolves({});
  sns.on(DeletePlatformApplicationCommand).resolves({});
  sns.on(PublishCommand).callsFake(({ TargetArn }) => ({ MessageId: `sent-to-${TargetArn}` }));
  return openSender({
    prefix: 'groundwork_prod',
    client: new SNSClient({ region: 'eu-west-1' }),
    sleep: () => Promise.resolve(),
  });
}

function awsError(name: string, message = name): Error {
  return Object.assign(new Error(message), { name });
}

function call(world: World, method: string, path: string, body?: unknown) {
  return world.own(method, `push_notifications/gcm/${path}`, body);
}

async function send(world: World, registration_ids: readonly string[], more: object = {}) {
  const content = { environment: 'development', registration_ids, data: { n: 1 }, ...more };
  const { id } = expected(await call(world, 'POST', 'messages/', { content }), 201);
  await world.api.platform.idle();
  return expected(await call(world, 'GET', `messages/${id}/`), 200);
}

/** Rejects the next request of a kind, and accepts all later ones. */
function refuseOnce(stub: ReturnType<typeof sns.on>, name: string, response: object): void {
  let isFirst = true;
  stub.callsFake(() => {
    if (!isFirst) return response;
    isFirst = false;
    throw awsError(name);
  });
}

function inputs(command: Parameters<typeof sns.commandCalls>[0]) {
  return sns.commandCalls(command).map(({ args }) => args[0].input);
}

function errors({ logged }: Api) {
  return logged
    .filter(({ level }) => level === 'error')
    .map(({ service, action }) => [service, action]);
}
