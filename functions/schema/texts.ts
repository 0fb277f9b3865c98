import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import type { Access } from '../../shared/values/access.ts';

/** Rules of every request. */
export const about =
  'Every path ends with a slash. In addition to the methods listed here, every path supports OPTIONS, and HEAD if it ' +
  'supports GET. Request bodies are JSON, forms (application/x-www-form-urlencoded or multipart/form-data), or JSON ' +
  'sent as text/plain. Unknown fields are ignored. A class adds its own fields to its data objects; OPTIONS on a list ' +
  'of data objects describes them.';

/** Callers by the word that `access` uses. */
export const callers: Readonly<Record<keyof Access, string>> = {
  account: 'any account key',
  owner: 'the account that owns the instance',
  full: 'an account with the role full in the instance',
  write: 'an account with the role write in the instance',
  read: 'an account with the role read in the instance',
  apiKey: 'any API key of the instance (a class or an item may restrict it further)',
  ignoreAcl: 'an API key with ignore_acl',
  allowUserCreate: 'an API key with allow_user_create',
  allowGroupCreate: 'an API key with allow_group_create',
  allowAnonymousRead: 'an API key with allow_anonymous_read',
  user: 'an API key with a user key, within the rights of the user',
  anonymous: 'anyone, without credentials',
};

/** Query parameters of every request, except those of credentials. */
export const commonParameters: QueryParameters = {
  format: {
    type: 'string',
    description: 'Format of the response. Overrides the Accept header.',
    choices: ['json', 'html'],
  },
  template_response: {
    type: 'string',
    description:
      'Name of the template that renders the response, on paths of an instance. The headers X-Template-Response and X-Template do the same and take precedence.',
  },
  template: { type: 'string', description: 'Same as `template_response`.' },
};

/** Locations of credentials; the first one that is not empty is used. */
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

/** Error responses by status. */
export const errors: Readonly<Record<string, string>> = {
  400: 'A field or a parameter is invalid. The body has messages by field, or `detail`.',
  401: 'The log-in failed.',
  403: 'Credentials are missing or invalid, or the caller lacks the right.',
  404: 'The resource does not exist or is not visible to the caller.',
  405: 'The path does not support the method.',
  406: 'The Accept header allows no available format, or the template does not exist.',
  408: 'The query timed out.',
  413: 'The request body or the response is too large.',
  415: 'The media type of the request body is not supported.',
  429: 'Too many requests. Retry-After has the seconds to wait.',
  500: 'Server error.',
};
