import { setTimeout as pause } from 'node:timers/promises';
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
import type { PushSender } from '../../ports/ports.ts';
import { PushFailure, type PushFailureReason } from '../../push/push-failure.ts';
import type { ProviderPush } from '../../push/rules/payload.ts';
import { type PushCredential, type PushScope, platformName } from '../../push/rules/provider.ts';
import { anyPartOf, longestDelay } from '../../values/back-off.ts';
import { errorName, originOf, withOrigin } from '../../values/caught.ts';
import { clientLimits, naming } from './sdk/client.ts';

/** Options of outgoing push messages. */
export interface SenderOptions {
  /** Prefix of the names of this deployment's applications. */
  readonly prefix: string;
  /** Created with the first request when absent. */
  readonly client?: SNSClient;
  /** Tests pass their own. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const maxAttempts = 4; // when SNS is too busy; work waits longer and comes again
const backOff = { firstMs: 100, maxMs: 5000 };
// a push whose response was lost may have been sent: the client itself retries nothing
const limits = { requestMs: 5000, maxAttempts: 1 };

/** Opens a sender by Amazon SNS. Sends no request by itself. */
export function openSender({ prefix, client, sleep = pause }: SenderOptions): PushSender {
  let opened: SNSClient | undefined;
  const call = <T>(run: (sns: SNSClient) => Promise<T>): Promise<T> => {
    opened ??= naming(client ?? new SNSClient(clientLimits(limits)));
    const sns = opened;
    return whileBusy(() => run(sns), sleep);
  };
  return {
    mode: 'send',
    openApplication: (scope, credential, current) =>
      call((sns) => openApplication({ sns, prefix }, { scope, credential, current })),
    closeApplication: (PlatformApplicationArn) =>
      call(async (sns) => {
        await sns.send(new DeletePlatformApplicationCommand({ PlatformApplicationArn }));
      }),
    createEndpoint: (application, { token, note }) =>
      call((sns) => createEndpoint(sns, { application, token, note })),
    setEndpoint: (EndpointArn, Token, isEnabled) =>
      call(async (sns) => {
        const Attributes = { Token, Enabled: String(isEnabled) };
        await sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes }));
      }),
    removeEndpoint: (EndpointArn) =>
      call(async (sns) => {
        await sns.send(new DeleteEndpointCommand({ EndpointArn }));
      }),
    publish: (endpoint, push) =>
      call(async (sns) => {
        const { MessageId = '' } = await sns.send(new PublishCommand(toMessage(endpoint, push)));
        return MessageId;
      }),
  };
}

function toMessage(TargetArn: string, { platform, payload, attributes }: ProviderPush) {
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  );
  return {
    TargetArn,
    MessageStructure: 'json',
    Message: JSON.stringify({ default: '', [platform]: payload }),
    ...(Object.keys(attributes).length > 0 && { MessageAttributes }),
  };
}

interface Application {
  readonly scope: PushScope;
  readonly credential: PushCredential;
  readonly current: string | undefined;
}

async function openApplication(
  { sns, prefix }: { readonly sns: SNSClient; readonly prefix: string },
  { scope, credential, current }: Application,
): Promise<string> {
  const Attributes = attributesOf(credential);
  const set = async (PlatformApplicationArn: string) => {
    await sns.send(
      new SetPlatformApplicationAttributesCommand({ PlatformApplicationArn, Attributes }),
    );
    return PlatformApplicationArn;
  };
  if (current !== undefined) {
    try {
      return await set(current);
    } catch (error) {
      if (errorName(error) !== 'NotFoundException') throw asCredential(error);
    }
  }
  const { instance, provider, environment } = scope;
  try {
    const { PlatformApplicationArn = '' } = await sns.send(
      new CreatePlatformApplicationCommand({
        Name: `${prefix}_${instance}_${provider}_${environment}`,
        Platform: platformName(provider, environment),
        Attributes,
      }),
    );
    return PlatformApplicationArn;
  } catch (error) {
    const existing = existingArn(error);
    if (existing === undefined) throw asCredential(error);
    return set(existing).catch((again: unknown) => Promise.reject(asCredential(again)));
  }
}

function attributesOf(credential: PushCredential): Record<string, string> {
  switch (credential.kind) {
    case 'legacyKey':
      return { PlatformCredential: credential.key };
    case 'serviceAccount':
      return { PlatformCredential: credential.text };
    case 'certificate':
      return { PlatformPrincipal: credential.certificate, PlatformCredential: credential.key };
    case 'token':
      return {
        PlatformPrincipal: credential.keyId,
        PlatformCredential: credential.key,
        ApplePlatformTeamID: credential.teamId,
        ApplePlatformBundleID: credential.bundle,
      };
  }
}

/** Maps an error of SNS, which checks credentials on arrival: an invalid parameter means the credential. */
function asCredential(error: unknown): unknown {
  return isInvalid(error) ? new PushFailure('badCredential', errorName(error)) : error;
}

async function createEndpoint(
  sns: SNSClient,
  device: { readonly application: string; readonly token: string; readonly note: string },
): Promise<string> {
  const { application: PlatformApplicationArn, token: Token, note: CustomUserData } = device;
  try {
    const { EndpointArn = '' } = await sns.send(
      new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token, CustomUserData }),
    );
    return EndpointArn;
  } catch (error) {
    const existing = existingArn(error);
    if (existing === undefined) {
      throw isInvalid(error) ? new PushFailure('badToken', errorName(error)) : error;
    }
    const Attributes = { Token, Enabled: 'true', CustomUserData };
    await sns.send(new SetEndpointAttributesCommand({ EndpointArn: existing, Attributes }));
    return existing;
  }
}

/** Returns the ARN under the same name or token with other attributes; only the message contains it. */
function existingArn(error: unknown): string | undefined {
  if (!isInvalid(error)) return undefined;
  return /(arn:[\w-]+:sns:\S+) already exists/.exec((error as Error).message)?.[1];
}

function isInvalid(error: unknown): boolean {
  return ['InvalidParameterException', 'InvalidParameterValueException'].includes(errorName(error));
}

/** Repeats a call while SNS says that it was too busy to do it, a few times. Whatever is thrown is a PushFailure. */
async function whileBusy<T>(
  run: () => Promise<T>,
  sleep: (ms: number) => Promise<unknown>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const failure = toFailure(error);
      if (failure.reason !== 'busy' || attempt >= maxAttempts) throw failure;
      await sleep(anyPartOf(longestDelay(attempt, backOff)));
    }
  }
}

const reasons: Readonly<Record<string, PushFailureReason>> = {
  EndpointDisabledException: 'disabled',
  EndpointDisabled: 'disabled',
  PlatformApplicationDisabledException: 'badCredential',
  PlatformApplicationDisabled: 'badCredential',
  NotFoundException: 'missing',
  InvalidParameterException: 'badPush',
  InvalidParameterValueException: 'badPush',
  ThrottledException: 'busy',
  Throttled: 'busy',
  Throttling: 'busy',
  ThrottlingException: 'busy',
  TooManyRequestsException: 'busy',
  RequestLimitExceeded: 'busy',
  KMSThrottlingException: 'busy',
  AuthorizationErrorException: 'denied',
  AccessDenied: 'denied',
  AccessDeniedException: 'denied',
};

/** Hides the message and the error itself: SNS repeats tokens and parameters in them. */
function toFailure(error: unknown): PushFailure {
  if (error instanceof PushFailure) return error;
  const name = errorName(error);
  return withOrigin(new PushFailure(reasons[name] ?? otherReason(error), name), originOf(error));
}

/** Returns the reason of an error that is not known: a request that SNS rejected had no effect. */
function otherReason(error: unknown): PushFailureReason {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  const { httpStatusCode: status = 0 } = $metadata ?? {};
  return status >= 400 && status < 500 ? 'denied' : 'unknown';
}
