import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { pageHeaders } from '../../shared/core/pages/shell.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { Api, Call } from './api.ts';
import { type RawResponse, sendRaw } from './http-client.ts';

/** Sends requests, and checks every response against the common rules. */
export type LawfulCall = (call: Call) => Promise<RawResponse>;

/** Returns the body of a response that must have this status. */
export function accepted({ status, text, body }: RawResponse, wanted: number): RawResponse['body'] {
  expect(status, text).toBe(wanted);
  return body;
}

const fromPage = { Origin: 'https://app.example' };

/**
 * Creates a function that sends requests like a page of another origin, and checks every response against the common
 * rules (docs/reference/responses.md#headers, docs/reference/requests.md#cors, docs/reference/errors.md#bodies):
 *
 * - no server error, and no error in the log;
 * - the request's id on the response and on one line of the log, which has the same status;
 * - CORS headers, no `WWW-Authenticate`;
 * - a page with the policy of our pages, or an origin of its own;
 * - JSON, HTML or the output of a template, in UTF-8 with its length, no body with 204;
 * - error responses in one of the three forms of error bodies.
 */
export function lawful(api: Api): LawfulCall {
  const ledger = openLedger(api.logged);
  return async (call) => {
    const response = await sendRaw(api.url, { ...call, headers: { ...fromPage, ...call.headers } });
    const { text } = response;
    const name = `${call.method ?? 'GET'} ${call.path.slice(0, 200)}: ${text.slice(0, 500)}`;
    const was = {
      ...seen(response, ledger.lineOf(response.headers['x-request-id'])),
      errors: ledger.errors(),
    };
    const wanted = { ...lawfulResponse, logged: response.status };
    // expect is called for a difference alone: it would take more time than many of the responses
    if (!isDeepStrictEqual(was, wanted)) expect(was, name).toEqual(wanted);
    return response;
  };
}

const lawfulResponse = {
  fault: false,
  origin: '*',
  vary: true,
  challenge: undefined,
  type: 'fit',
  isSafe: true,
  hasErrorForm: true,
  errors: [],
};

function seen({ status, headers, text, body }: RawResponse, line: LogEntry | undefined) {
  const type = String(headers['content-type'] ?? '');
  return {
    fault: status < 200 || status >= 500,
    logged: line?.status,
    origin: headers['access-control-allow-origin'],
    vary: String(headers.vary).split(/,\s*/).includes('Origin'),
    challenge: headers['www-authenticate'],
    type: typeKind(status, type, text),
    isSafe: text === '' || type.startsWith('application/json') || isSafe(headers),
    hasErrorForm: status < 400 || text === '' || !type.includes('json') || isErrorBody(body),
  };
}

/** Checks that a document runs the script of our pages only, or has an origin of its own. */
function isSafe({ 'content-security-policy': policy }: RawResponse['headers']): boolean {
  return policy === pageHeaders['Content-Security-Policy'] || isIsolated(policy);
}

/** Checks that a policy gives a document an origin of its own. */
export function isIsolated(policy: unknown): boolean {
  return String(policy)
    .split(/[,;]/)
    .some((each) => /^ *sandbox\b(?!.*allow-same-origin)/.test(each));
}

/** Finds lines of the log without reading it from its start each time. */
function openLedger(logged: readonly LogEntry[]) {
  const lines = new Map<unknown, LogEntry>();
  const errors: LogEntry[] = [];
  let at = 0;
  const readOn = () => {
    for (const entry of logged.slice(at)) {
      if (entry.level === 'error') errors.push(entry);
      if (entry.message === 'request') lines.set(entry.requestId, entry);
    }
    at = logged.length;
  };
  return {
    lineOf: (id: unknown): LogEntry | undefined => {
      readOn();
      return lines.get(id);
    },
    errors: () => errors.splice(0),
  };
}

/** Output of the template of a filled world. */
const rendered = 'text/plain; charset=utf-8';

function typeKind(status: number, type: string, text: string): string {
  if (status === 204) return type === '' && text === '' ? 'fit' : `204 with ${type} ${text}`;
  if (text === '') return 'fit'; // HEAD and preflights
  if (status === 200 && type === rendered) return 'fit';
  if (status === 200 && type === 'text/event-stream') return 'fit';
  const isPage = text.startsWith('<!doctype html>');
  return type === `${isPage ? 'text/html' : 'application/json'}; charset=utf-8` ? 'fit' : type;
}

/** Checks whether a body has one of the forms of error bodies (docs/reference/errors.md#bodies). */
function isErrorBody(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const values = Object.values(body);
  if ('detail' in body) return values.length === 1 && typeof body.detail === 'string';
  return values.length > 0 && values.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (Array.isArray(value)) return value.length > 0 && value.every(isMessage);
  return typeof value === 'object' && value !== null && Object.values(value).every(isMessage);
}
