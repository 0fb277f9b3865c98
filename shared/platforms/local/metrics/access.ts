import { readFileSync } from 'node:fs';
import { messageOf } from '../../../values/caught.ts';
import { ApiError, methodNotAllowed, notFound } from '../../../values/errors/errors.ts';
import { createSecretCheck } from '../../../values/keys/secret-check.ts';
import type { readEnvironment } from '../environment.ts';
import { StartError } from '../server/start-error.ts';
import { secretForm, secretPattern } from '../settings.ts';

/** Who may read metrics, and which ones. */
export interface MetricsAccess {
  /** Path of a Unix socket. */
  readonly socket: string | undefined;
  /** Token that requests must have, also at the socket. */
  readonly token: string | undefined;
  /** Whether metrics name instances. */
  readonly hasInstances: boolean;
}

/**
 * Reads the settings of metrics.
 *
 * @returns undefined when there are none: then nothing is counted for them
 * @throws StartError for two tokens, and for a file without a valid one
 */
export function readMetricsAccess({
  metricsSocket: socket,
  metricsToken,
  metricsTokenFile: file,
  metricsInstances,
}: ReturnType<typeof readEnvironment>['metrics']): MetricsAccess | undefined {
  if (metricsToken !== undefined && file !== undefined) {
    throw new StartError(
      'GROUNDWORK_METRICS_TOKEN and GROUNDWORK_METRICS_TOKEN_FILE exclude each other',
    );
  }
  const token = file === undefined ? metricsToken : readToken(file);
  if (socket === undefined && token === undefined) return undefined;
  return { socket, token, hasInstances: metricsInstances === 'yes' };
}

function readToken(file: string): string {
  const token = readText(file).trim();
  if (token !== '' && secretPattern.test(token)) return token;
  throw new StartError(`GROUNDWORK_METRICS_TOKEN_FILE takes a file with ${secretForm}`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`GROUNDWORK_METRICS_TOKEN_FILE cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Path of metrics, at the socket and at the port. */
export const metricsPath = '/metrics';

/** The part of a request for metrics that decides about its response. */
export interface MetricsRequest {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/**
 * Creates the function that checks requests for metrics.
 *
 * @returns a function that throws ApiError 401 without the token, 404 for other paths, and 405 for other methods
 */
export function createMetricsCheck(token: string | undefined): (request: MetricsRequest) => void {
  const isGenuine = token === undefined ? () => true : createSecretCheck(`Bearer ${token}`);
  return ({ method, path, authorization }) => {
    if (!isGenuine(authorization?.replace(/^bearer +/i, 'Bearer '))) throw unauthorized();
    if (path !== metricsPath) throw notFound();
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method);
  };
}

function unauthorized(): ApiError {
  const detail = 'Metrics need the token of the operator.';
  return new ApiError(401, { detail }, 'key_unknown', { 'WWW-Authenticate': 'Bearer' });
}
