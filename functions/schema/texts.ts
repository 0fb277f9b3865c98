import type { QueryParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Access } from '../../shared/values/access.ts';

/** What holds for every call. */
export const about =
  'Every path ends in a slash. Beside its own methods every path answers OPTIONS, and HEAD where it answers GET. ' +
  'Bodies are JSON, forms (application/x-www-form-urlencoded, multipart/form-data), or JSON as text/plain. ' +
  'Unknown fields are ignored. A class adds fields of its own to its objects: OPTIONS on a list of objects shows them.';

/** Who calls, by the word that `access` uses. */
export const callers: Readonly<Record<keyof Access, string>> = {
  account: 'any account key',
  owner: 'the account that owns the instance',
  full: 'an account with the role full in the instance',
  write: 'an account with the role write in the instance',
  read: 'an account with the role read in the instance',
  apiKey: 'any API key of the instance; a class or an item may restrict it further',
  ignoreAcl: 'an API key with ignore_acl',
  allowUserCreate: 'an API key with allow_user_create',
  allowGroupCreate: 'an API key with allow_group_create',
  allowAnonymousRead: 'an API key with allow_anonymous_read',
  user: 'an API key together with a user key, within what the user may do',
  anonymous: 'anybody, without credentials',
};

/** Query parameters of every call, beside those of credentials. */
export const commonParameters: QueryParameters = {
  format: {
    type: 'string',
    description: 'The form of the answer, whatever Accept says.',
    choices: ['json', 'html'],
  },
  template_response: {
    type: 'string',
    description:
      'Inside an instance: name of the template that the answer is rendered with. The headers X-Template-Response and X-Template say the same, and go before it.',
  },
  template: { type: 'string', description: 'The same as `template_response`.' },
};

/** Places of credentials; the first one that is not empty counts. */
export const credentials = {
  key: [
    { in: 'header', name: 'X-API-KEY' },
    { in: 'query', name: 'api_key' },
    { in: 'query', name: 'apikey' },
    { in: 'header', name: 'Authorization', format: 'token <key>' },
    { in: 'body', name: '_api_key' },
  ],
  user_key: [
    { in: 'header', name: 'X-USER-KEY' },
    { in: 'query', name: 'user_key' },
    { in: 'query', name: 'userkey' },
    { in: 'body', name: '_user_key' },
  ],
};

/** Refusals of all kinds, by status. */
export const errors: Readonly<Record<string, string>> = {
  400: 'A field or a parameter is wrong: messages by field, or a detail.',
  401: 'A log-in failed.',
  403: 'No credentials, bad ones, or the caller may not do this.',
  404: 'It is not there, or the caller may not know that it is.',
  405: 'The path does not have the method.',
  406: 'Nothing that Accept wants can be sent, or there is no such template.',
  408: 'A query took too long.',
  413: 'The body or the answer is too large.',
  415: 'The body is in a form that is not understood.',
  429: 'Too many calls: wait for Retry-After seconds.',
  500: 'A fault of the server.',
};
