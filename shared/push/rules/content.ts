import { dataMessages } from '../../values/errors/data-messages.ts';
import { messages } from '../../values/errors/messages.ts';
import { isJsonObject, type JsonObject } from '../../values/json/json.ts';
import { readJson, readStorable } from '../../values/json/json-values.ts';
import { read, reject, type ValueResult } from '../../values/scalars.ts';
import { type PushEnvironment, type PushProvider, pushEnvironments } from './provider.ts';
import { findBroken, type ObjectRule, type Rule } from './rules.ts';

/** Content and recipients of a push: as sent, checked. */
export type PushContent = JsonObject & {
  readonly environment: PushEnvironment;
  readonly registration_ids: readonly string[];
};

const maxIds = 1000; // docs/reference/push.md#messages
const maxIdLength = 1024; // our own limit: no token is nearly so long, and they are stored a hundred at a time
const maxBytes = 65_536; // our own limit: no provider accepts more than 4,096, and some of it is not passed on

const text: Rule = { kind: 'string' };
const texts: Rule = { kind: 'array', items: text };
const shared: Readonly<Record<string, Rule>> = {
  environment: { kind: 'string', choices: pushEnvironments },
  registration_ids: {
    kind: 'array',
    items: { kind: 'string', maxLength: maxIdLength },
    max: maxIds,
    unique: true,
  },
};

const alert: Rule = {
  kind: 'any',
  of: [
    text,
    {
      kind: 'object',
      required: ['title', 'body'],
      properties: {
        title: text,
        body: text,
        'title-loc-key': text,
        'title-loc-args': texts,
        'action-loc-key': text,
        'loc-key': text,
        'loc-args': texts,
        'launch-image': text,
      },
    },
  ],
};

const rules: Readonly<Record<PushProvider, ObjectRule>> = {
  gcm: {
    kind: 'object',
    required: ['registration_ids', 'environment'],
    isClosed: true,
    properties: {
      ...shared,
      data: { kind: 'object', maxProperties: 256 },
      notification: { kind: 'object', maxProperties: 256 },
      collapse_key: text,
      restricted_package_name: text,
      priority: { kind: 'string', choices: ['normal', 'high'] },
      content_available: { kind: 'boolean' },
      delay_while_idle: { kind: 'boolean' },
      time_to_live: { kind: 'integer', min: 1, max: 2_419_200 },
      dry_run: { kind: 'boolean' },
    },
  },
  apns: {
    kind: 'object',
    required: ['registration_ids', 'environment', 'aps'],
    properties: {
      ...shared,
      aps: {
        kind: 'object',
        required: ['alert'],
        properties: {
          alert,
          badge: { kind: 'integer' },
          sound: text,
          'content-available': { kind: 'integer' },
          category: text,
        },
      },
    },
  },
};

/**
 * Parses the content of a push: an object, or JSON text of one (docs/reference/push.md#messages).
 *
 * @param only the single recipient, which replaces the ids that were sent; absent: those that were sent
 */
export function readPushContent(
  provider: PushProvider,
  input: unknown,
  only?: string,
): ValueResult<PushContent> {
  const parsed = input === '' ? read(undefined) : readJson(input);
  if (!parsed.ok) return parsed;
  const isForOne = only !== undefined;
  if (isEmpty(parsed.value) && !isForOne) return reject(messages.required);
  const given = isEmpty(parsed.value) ? {} : parsed.value;
  const value = isForOne && isJsonObject(given) ? { ...given, registration_ids: [only] } : given;
  const kept = readStorable(value, dataMessages.invalidFormat('Content'));
  if (!kept.ok) return kept;
  const error = findBroken(rules[provider], kept.value);
  if (error !== undefined) return reject(`Invalid JSON: ${error}`);
  const content = kept.value as PushContent; // checked by the rules
  return bytesOf(withoutIds(content)) > maxBytes
    ? reject(dataMessages.objectTooBig(maxBytes))
    : read(content);
}

/** Returns the content without its recipients. */
export function withoutIds({ registration_ids: _, ...rest }: PushContent): JsonObject {
  return rest as JsonObject; // a part of JSON is JSON
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return !value;
}

function bytesOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value));
}
