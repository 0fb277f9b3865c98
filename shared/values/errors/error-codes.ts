const codes = [
  'key_missing',
  'key_unknown',
  'key_reset',
  'key_flag_needed',
  'user_key_needed',
  'account_key_needed',
  'not_a_member',
  'role_too_low',
  'class_denies',
  'object_denies',
  'channel_denies',
  'item_protected',
  'instance_suspended',
  'upload_denied',
  'address_denied',
  'mail_denied',
  'login_failed',
  'registration_closed',
  'not_found',
  'parent_not_found',
  'path_unknown',
  'no_trailing_slash',
  'method_not_allowed',
  'malformed_request',
  'malformed_body',
  'body_too_complex',
  'json_sent_as_form',
  'media_type_unknown',
  'picture_unfit',
  'not_acceptable',
  'format_unknown',
  'too_large',
  'response_too_large',
  'headers_too_large',
  'request_timeout',
  'throttled',
  'invalid_input',
  'names_unknown',
  'name_not_confirmed',
  'paging_invalid',
  'order_invalid',
  'query_invalid',
  'query_timeout',
  'revision_mismatch',
  'limit_reached',
  'quota_exceeded',
  'state_conflict',
  'social_login_failed',
  'script_timeout',
  'template_failed',
  'template_unsupported',
  'server_error',
  'server_busy',
  'pictures_missing',
  'storage_full',
  'storage_damaged',
  'data_too_new',
  'server_timeout',
] as const;

/**
 * A machine-readable reason of an error response, sent as `X-Error-Code` and written into the log line of the request. A
 * code never changes its meaning; clients may branch on it. The texts are in error-code-texts.ts.
 */
export type ErrorCode = (typeof codes)[number];

/** The response header with the code. */
export const errorCodeHeader = 'X-Error-Code';

const known: ReadonlySet<string> = new Set(codes);

/** Checks whether a text is one of the codes. A script, for example, may set the header to anything. */
export function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && known.has(text);
}
