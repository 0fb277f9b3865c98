import type { ErrorCode } from './error-codes.ts';

/** Meaning of an error code, for the page about errors. */
export interface ErrorCodeText {
  /** Statuses of responses with this code. */
  readonly statuses: readonly number[];
  readonly meaning: string;
  /** Advice for the client, or for the operator in the case of 5xx. */
  readonly remedy: string;
}

/** The texts of all error codes. `docs/reference/errors.md` is generated from this table; no request needs it. */
export const errorCodeTexts: Readonly<Record<ErrorCode, ErrorCodeText>> = {
  // credentials and rights
  key_missing: {
    statuses: [403],
    meaning: 'The request has no key, and the resource is not open to everybody.',
    remedy: 'Send a key in the header `X-API-KEY`.',
  },
  key_unknown: {
    statuses: [403],
    meaning:
      'The key is not valid here: mistyped, reset, deleted, expired, or of another instance. Old keys of accounts have `key_reset`.',
    remedy: 'Send a current key of this instance. Keys of one deployment mean nothing to another.',
  },
  key_reset: {
    statuses: [403],
    meaning: 'This was the key of the account, until the key or the password was reset.',
    remedy: 'Log in again, and use the new key in all programs that had the old one.',
  },
  key_flag_needed: {
    statuses: [403],
    meaning: 'The API key lacks the flag that allows this.',
    remedy:
      'Use an API key with the flag, such as `allow_user_create` or `ignore_acl`, or an account key.',
  },
  user_key_needed: {
    statuses: [403],
    meaning: 'Only users of the instance may do this, and the request names none.',
    remedy: 'Send an API key in `X-API-KEY` together with the key of a user in `X-USER-KEY`.',
  },
  account_key_needed: {
    statuses: [403],
    meaning: 'API keys cannot do this, whatever their flags.',
    remedy: 'Use the account key of a member of the instance, on a server of yours, not in an app.',
  },
  not_a_member: {
    statuses: [403],
    meaning: 'The account does not belong to the instance.',
    remedy: 'Ask the owner for an invitation, or check the name of the instance in the path.',
  },
  role_too_low: {
    statuses: [403],
    meaning: 'The role of the account in the instance does not allow this.',
    remedy: 'Ask the owner, or a member with the role `full`, for a higher role.',
  },
  class_denies: {
    statuses: [403],
    meaning: 'The permissions of the class do not allow this to the caller.',
    remedy: 'Change `other_permissions` or `group_permissions` of the class.',
  },
  object_denies: {
    statuses: [403],
    meaning: 'The caller may see the data object, and its permissions allow no more.',
    remedy: 'Change the permissions of the object, or call as its owner.',
  },
  channel_denies: {
    statuses: [403],
    meaning:
      'The permissions of the channel do not allow it, or the channel has no custom messages.',
    remedy: 'Change the permissions or `custom_publish` of the channel, or call as another user.',
  },
  item_protected: {
    statuses: [403],
    meaning: 'The item is protected: the row of the owner, or a built-in class or channel.',
    remedy: 'Leave it as it is.',
  },
  instance_suspended: {
    statuses: [403],
    meaning:
      'The operator of the deployment has stopped the instance. Its owner may read and export.',
    remedy: 'Ask the operator. Nothing is deleted.',
  },
  upload_denied: {
    statuses: [403],
    meaning: 'The upload form is expired, used for another file, or was not made here.',
    remedy: 'Request a new upload form, and send all of its fields before the file.',
  },
  address_denied: {
    statuses: [403],
    meaning: 'The address of a private file has expired, was changed, or is for another method.',
    remedy: 'Read the object again, and use the new address.',
  },
  mail_denied: {
    statuses: [400, 403],
    meaning: 'The operator of the server has not allowed mails to users.',
    remedy: 'Ask the operator to set `GROUNDWORK_USER_MAIL` to `on`.',
  },
  login_failed: {
    statuses: [401],
    meaning: 'The name, the password or the access token of another service is wrong.',
    remedy: 'Correct what the message names.',
  },
  registration_closed: {
    statuses: [400, 403],
    meaning:
      'This server takes no registrations without an invitation or the set-up code, or none from where the request came.',
    remedy: 'Ask for an invitation, or the operator to set the registration to `open`.',
  },

  // paths
  not_found: {
    statuses: [404],
    meaning: 'The item does not exist, or the caller may not know that it does.',
    remedy: 'Check the id or name, and the rights of the key.',
  },
  parent_not_found: {
    statuses: [404],
    meaning: 'Something on the way to the item does not exist: the message names its kind.',
    remedy: 'Check the names and ids in the path from left to right.',
  },
  path_unknown: {
    statuses: [404],
    meaning: 'The interface has no such path.',
    remedy: 'Compare the path with `/v1.1/schema/`, and follow the `links` of responses.',
  },
  no_trailing_slash: {
    statuses: [404],
    meaning: 'The path exists with a slash at its end; it was sent without.',
    remedy: 'Add the slash, before a `?` with parameters.',
  },
  method_not_allowed: {
    statuses: [405],
    meaning: 'The path exists and does not have this method.',
    remedy: 'Use a method that the response header `Allow` names.',
  },

  // how the request is sent
  malformed_request: {
    statuses: [400],
    meaning: 'The bytes are not an HTTP request, or the address cannot be decoded.',
    remedy: 'Check the client and the proxies before the server.',
  },
  malformed_body: {
    statuses: [400],
    meaning: 'The body is not what its content type says; the message tells where it breaks.',
    remedy: 'Send well-formed JSON or a complete form.',
  },
  body_too_complex: {
    statuses: [400],
    meaning: 'Parsing the body would cost too much: too many members or levels.',
    remedy: 'Split the request; the message has the limit.',
  },
  json_sent_as_form: {
    statuses: [400],
    meaning: 'The body looks like JSON and is declared as a form, as `curl -d` does by default.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  media_type_unknown: {
    statuses: [415],
    meaning: 'Bodies of this content type are not understood.',
    remedy: 'Send JSON, a form, or `multipart/form-data` for files.',
  },
  picture_unfit: {
    statuses: [415],
    meaning: 'No smaller picture can be made of this file: it is no picture, damaged or too large.',
    remedy: 'Use the file itself, or upload a JPEG, PNG, WebP, GIF or AVIF within the limits.',
  },
  not_acceptable: {
    statuses: [406],
    meaning: 'The response exists in no form that `Accept` allows, or its template does not exist.',
    remedy: 'Accept `application/json`, or name a template of the instance.',
  },
  format_unknown: {
    statuses: [404],
    meaning: 'The query parameter `format` has a value that does not exist here.',
    remedy: 'Use `format=json` or `format=html`.',
  },
  too_large: {
    statuses: [413],
    meaning: 'The request is larger than this path takes; the message has the limit in bytes.',
    remedy: 'Send less, split the request, or upload files by an upload form.',
  },
  response_too_large: {
    statuses: [413],
    meaning: 'The response would be larger than the platform lets through.',
    remedy: 'Ask for a smaller page, or leave fields out with `fields` or `excluded_fields`.',
  },
  headers_too_large: {
    statuses: [431],
    meaning: 'Request line and headers are larger than 10,240 bytes together.',
    remedy: 'Send long queries as a POST of `text/plain` with `_method` set to `GET`.',
  },
  request_timeout: {
    statuses: [408],
    meaning: 'The request took too long to arrive.',
    remedy: 'Send it again; use an upload form for large files on slow lines.',
  },
  throttled: {
    statuses: [429],
    meaning: 'There were too many requests, or too many writes of one item at once.',
    remedy: 'Wait for the seconds in `Retry-After`, and send the request again.',
  },

  // what the request says
  invalid_input: {
    statuses: [400],
    meaning: 'Fields of the body are wrong; the response has the messages of each.',
    remedy: 'Correct the fields. An `OPTIONS` request describes them.',
  },
  names_unknown: {
    statuses: [400],
    meaning: 'The request has `X-Strict: 1` and names that the path does not know.',
    remedy: 'Correct the names that the message lists, or leave the header out.',
  },
  name_not_confirmed: {
    statuses: [400],
    meaning: 'The header `X-Confirm-Name` of a deletion is not the name of what would be deleted.',
    remedy: 'Check the path of the request, then send the name that is to be deleted.',
  },
  paging_invalid: {
    statuses: [400],
    meaning: 'A paging parameter is out of its range.',
    remedy: 'Follow `next` and `prev` as they are; `page_size` is a whole number.',
  },
  order_invalid: {
    statuses: [400],
    meaning: 'The list cannot be ordered by this field.',
    remedy: 'Set `order_index` on the field of the class, or order by another one.',
  },
  query_invalid: {
    statuses: [400],
    meaning: 'The filter in `query` is wrong: its form, a field, a lookup or a value.',
    remedy: 'Correct what the message names; fields in filters need `filter_index`.',
  },
  query_timeout: {
    statuses: [408],
    meaning: 'The list would take more reads or time than one request may.',
    remedy: 'Filter by a field with an index that leaves fewer objects, or order by that field.',
  },
  revision_mismatch: {
    statuses: [400],
    meaning: 'The item has changed since the revision that `expected_revision` names.',
    remedy: 'Read it again, and repeat the change on what is there now.',
  },
  limit_reached: {
    statuses: [400],
    meaning: 'A fixed number of things is reached; the message has the number.',
    remedy: 'Delete some, split the request, or ask the operator where the limit is a setting.',
  },
  quota_exceeded: {
    statuses: [400],
    meaning:
      'The write would add more bytes than the instance may store; the message has the quota.',
    remedy: 'Delete or shrink objects or files, or ask the operator for a larger quota.',
  },
  state_conflict: {
    statuses: [400],
    meaning: 'The request does not fit the state of the item, such as an account already active.',
    remedy: 'Read the item; mostly nothing is left to do.',
  },
  social_login_failed: {
    statuses: [400],
    meaning: 'The other service is not set up here, or gives no address for the account.',
    remedy: 'Use another service, or ask for a token with the permission to read the address.',
  },

  // scripts and templates
  script_timeout: {
    statuses: [408],
    meaning: 'The script did not end in the time that a request may wait. It goes on.',
    remedy: 'Read its trace later, or make the script faster.',
  },
  template_failed: {
    statuses: [400],
    meaning: 'The template could not be rendered; the message says why.',
    remedy: 'Correct the template, and try it with its `render/` path.',
  },
  template_unsupported: {
    statuses: [400],
    meaning: 'Responses of this path cannot be rendered with a template.',
    remedy: 'Leave the template out of the request.',
  },

  // the server
  server_error: {
    statuses: [500],
    meaning: 'The server failed.',
    remedy: 'Look up the line of the log with the id in `X-Request-Id`.',
  },
  server_busy: {
    statuses: [503],
    meaning:
      'Too much of something costly is under way, such as renderings of templates or request bodies.',
    remedy: 'Send the request again after the seconds in `Retry-After`.',
  },
  pictures_missing: {
    statuses: [503],
    meaning: 'The server has no package that makes smaller pictures.',
    remedy: 'Ask the operator to install `sharp`, or use the file itself.',
  },
  storage_full: {
    statuses: [503],
    meaning: 'The disk of the server is full; nothing was stored.',
    remedy: 'Make room on the disk; writes work again by themselves.',
  },
  storage_damaged: {
    statuses: [503],
    meaning: 'The data of the server is damaged; nothing can be stored.',
    remedy: 'Stop the server and restore a backup.',
  },
  data_too_new: {
    statuses: [503],
    meaning:
      'The data were written by a newer release of the software than the one that runs, as after a downgrade.',
    remedy: 'Deploy the newer release again.',
  },
  server_timeout: {
    statuses: [504],
    meaning: 'The function ran out of time before it had a response.',
    remedy: 'Send a smaller request; look up the log by `X-Request-Id`.',
  },
};
