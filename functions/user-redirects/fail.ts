import { type Context, instanceOf } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import type { LogInState } from '../../shared/users/redirects/sealed-claims.ts';
import { codeOf, errorName, originOf } from '../../shared/values/caught.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { redirectToApp } from './to-app.ts';

/**
 * Sends a browser back to the app after an error of a service. The log has the kind of error: the text of one may contain
 * what the service has sent.
 *
 * @throws the error where it comes from what this server itself works with, as the keys that seal secrets
 */
export function failLogIn(
  context: Context,
  error: unknown,
  { redirect, state }: Pick<LogInState, 'redirect' | 'state'>,
): Response {
  if (error instanceof ApiError || originOf(error) !== undefined) throw error;
  const { platform, request, params } = context;
  platform.log({
    level: 'info',
    message: 'a service has not logged a user in',
    requestId: request.id,
    instance: ownerOfData(instanceOf(context)),
    provider: params.backend,
    error: errorName(error),
    reason: codeOf(error),
  });
  return redirectToApp(context, redirect, { error: 'provider_failed', state });
}
