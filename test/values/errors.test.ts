import { describe, expect, it } from 'vitest';
import { isErrorCode } from '../../shared/values/errors/error-codes.ts';
import {
  type ApiError,
  accountKeyReset,
  countExceeded,
  detailError,
  forbidden,
  incorrectPage,
  invalid,
  jsonAsForm,
  methodNotAllowed,
  nameNotConfirmed,
  namesUnknown,
  noSuchKey,
  notFound,
  parentNotFound,
  pathNotFound,
  quotaExceeded,
  revisionMismatch,
  serverBusy,
  serverError,
  serverTimeout,
  throttled,
  tooLarge,
  unsupportedMediaType,
} from '../../shared/values/errors/errors.ts';

const denied = 'You do not have permission to perform this action.';

const sentences: readonly (readonly [
  code: string,
  status: number,
  detail: string,
  make: () => ApiError,
])[] = [
  [
    'login_failed',
    401,
    'Wrong password.',
    () => detailError(401, 'Wrong password.', 'login_failed'),
  ],
  ['not_found', 404, 'Not found.', () => notFound()],
  ['path_unknown', 404, 'Not found.', () => pathNotFound('path_unknown')],
  ['no_trailing_slash', 404, 'Not found.', () => pathNotFound('no_trailing_slash')],
  [
    'parent_not_found',
    404,
    'Script Endpoint was not found.',
    () => parentNotFound('Script Endpoint'),
  ],
  ['role_too_low', 403, denied, () => forbidden('role_too_low')],
  ['key_missing', 403, denied, () => forbidden('key_missing')],
  ['key_unknown', 403, 'No such API Key.', () => noSuchKey()],
  ['key_reset', 403, 'No such API Key.', () => accountKeyReset()],
  ['method_not_allowed', 405, 'Method "PUT" not allowed.', () => methodNotAllowed('PUT')],
  ['too_large', 413, 'Request size limit exceeded (6291456).', () => tooLarge(6_291_456)],
  [
    'media_type_unknown',
    415,
    'Unsupported media type "Application/XML" in request.',
    () => unsupportedMediaType('Application/XML'),
  ],
  [
    'json_sent_as_form',
    400,
    'the body looks like JSON: send Content-Type: application/json',
    () => jsonAsForm(),
  ],
  [
    'name_not_confirmed',
    400,
    'X-Confirm-Name is not the name of the instance.',
    () => nameNotConfirmed(),
  ],
  ['names_unknown', 400, 'Unknown names: colour, sise.', () => namesUnknown(['colour', 'sise'])],
  ['quota_exceeded', 400, 'No room (5).', () => quotaExceeded('No room (5).')],
  ['paging_invalid', 400, 'Incorrect page parameter provided.', () => incorrectPage()],
  ['limit_reached', 400, 'Class count exceeded (100).', () => countExceeded('Class', 100)],
  ['server_error', 500, 'Internal server error.', () => serverError()],
  ['server_timeout', 504, 'Internal server error.', () => serverTimeout()],
];

describe('an error response with one sentence', () => {
  it.each(sentences)('%s is %d: %s', (code, status, detail, make) => {
    const error = make();

    expect(error).toMatchObject({ status, body: { detail }, code });
    expect(error.headers).toEqual({ 'X-Error-Code': code });
  });
});

describe('an error response about fields', () => {
  it('has the messages of each field', () => {
    const error = invalid({ name: ['This field is required.'], profile: { age: ['No.'] } });

    expect(error).toMatchObject({ status: 400, code: 'invalid_input' });
    expect(error.body).toEqual({ name: ['This field is required.'], profile: { age: ['No.'] } });
  });

  it('may have a code of its own', () => {
    expect(invalid({ query: 'No.' }, 'query_invalid').code).toBe('query_invalid');
  });

  it('names both revisions in a text, not in a list', () => {
    const error = revisionMismatch(3, 5);

    expect(error).toMatchObject({ status: 400, code: 'revision_mismatch' });
    expect(error.body).toEqual({ expected_revision: 'Revision mismatch. Expected 3, got 5.' });
  });
});

describe('an error response that clients retry', () => {
  it.each([
    [0, '1', '1 second.'],
    [0.2, '1', '1 second.'],
    [1, '1', '1 second.'],
    [1.1, '2', '2 seconds.'],
    [60, '60', '60 seconds.'],
  ])('429 for %d seconds waits whole seconds, at least 1', (seconds, wait, end) => {
    const error = throttled(seconds);

    expect(error).toMatchObject({ status: 429, code: 'throttled' });
    expect(error.headers).toEqual({ 'Retry-After': wait, 'X-Error-Code': 'throttled' });
    expect(error.body).toEqual({ detail: `Request was throttled. Expected available in ${end}` });
  });

  it.each([
    [undefined, 'The server is busy. Try again later.'],
    [
      'passwords are being checked',
      'Too many passwords are being checked. Expected available in 5 seconds.',
    ],
  ])('503 with too many %s', (tooMany, detail) => {
    const error = serverBusy(5, tooMany);

    expect(error).toMatchObject({ status: 503, code: 'server_busy' });
    expect(error.headers).toEqual({ 'Retry-After': '5', 'X-Error-Code': 'server_busy' });
    expect(error.body).toEqual({ detail });
  });
});

describe('an error', () => {
  it('has its status in the log', () => {
    expect(String(notFound())).toBe('ApiError: refused with 404');
  });

  it.each([
    ['not_found', true],
    ['Not_Found', false],
    ['teapot', false],
    ['', false],
    [undefined, false],
  ])('has a code: %s is one: %s', (text, isOne) => {
    expect(isErrorCode(text)).toBe(isOne);
  });
});
