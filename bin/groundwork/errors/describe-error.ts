import { NoResponseError, ResponseError } from '../../../shared/clients/client.ts';
import { messageOf } from '../../../shared/values/caught.ts';
import { errorCodeTexts } from '../../../shared/values/errors/error-code-texts.ts';
import { type ErrorCode, isErrorCode } from '../../../shared/values/errors/error-codes.ts';
import { isJsonObject } from '../../../shared/values/json/json.ts';
import { isThisMachine } from '../../server-address.ts';

/** An error response in words that name the remedy; its cause is the {@link ResponseError}. */
export class ExplainedError extends Error {}

/** Describes an error in words, without the request that has failed. */
export function describeError(error: unknown): string {
  if (error instanceof ResponseError) return describeResponse(error);
  if (error instanceof NoResponseError && isThisMachine(error.url)) {
    return `${error.message}. Start the server with npm start, or with groundwork dev`;
  }
  return messageOf(error);
}

/** Describes an error for people: with `--verbose` also the request that has failed, and its response. */
export function explainError(
  error: unknown,
  { isVerbose }: { readonly isVerbose: boolean },
): string {
  const failed = failedRequest(error);
  const text = describeError(error);
  if (failed === undefined) return text;
  if (isVerbose) return `${text}\n  ${failed.message}`;
  return error === failed
    ? `${text} (status ${failed.response.status}; --verbose shows the request)`
    : text;
}

/** Returns the error response that an error is, or was caused by. */
export function failedRequest(error: unknown): ResponseError | undefined {
  if (error instanceof ResponseError) return error;
  return error instanceof Error ? failedRequest(error.cause) : undefined;
}

/** Codes whose remedies are for users of commands; the others are about requests. */
const usefulRemedies: ReadonlySet<ErrorCode> = new Set([
  'not_a_member',
  'role_too_low',
  'instance_suspended',
  'mail_denied',
  'limit_reached',
  'quota_exceeded',
  'storage_full',
  'storage_damaged',
  'data_too_new',
]);

function describeResponse({ response: { status, code, body } }: ResponseError): string {
  const said = isJsonObject(body)
    ? messagesIn(body).slice(0, shownMessages).join('; ').replaceAll('.;', ';')
    : '';
  if (said === '') return `the response has status ${status} and no explanation`;
  const hasRemedy = isErrorCode(code) && usefulRemedies.has(code);
  return cut(hasRemedy ? `${said} ${errorCodeTexts[code].remedy}` : said);
}

const shownMessages = 10;
const shownCharacters = 1000;
const deepest = 5;

function cut(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** Returns the messages of a body, each with the path of its field. */
function messagesIn(body: unknown, path: readonly string[] = []): readonly string[] {
  if (path.length > deepest) return [];
  if (Array.isArray(body)) return body.flatMap((each) => messagesIn(each, path));
  if (isJsonObject(body)) {
    return Object.entries(body).flatMap(([name, value]) =>
      messagesIn(value, isGeneral(name) ? path : [...path, name]),
    );
  }
  const text = String(body);
  return [path.length === 0 ? text : `${path.join('.')}: ${text}`];
}

/** Checks whether messages of this name are about no field. */
function isGeneral(name: string): boolean {
  return name === 'detail' || name === 'non_field_errors';
}
