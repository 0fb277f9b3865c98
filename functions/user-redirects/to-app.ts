import type { Context } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';

/** Why a log-in by redirect failed, as the app is told (docs/reference/user-accounts.md#log-in-by-redirect). */
export type LogInError = 'access_denied' | 'expired' | 'provider_failed';

/** What an app gets with the redirect to it. */
export interface ToApp {
  readonly code?: string;
  readonly error?: LogInError;
  /** State of the app, if it has sent one. */
  readonly state?: string | undefined;
}

/** Sends a browser on. The address may contain a code, so it is neither stored nor told to other pages. */
export function redirectTo({ route }: Pick<Context, 'route'>, address: string): Response {
  return {
    status: route.forms.response?.status ?? 303,
    headers: {
      Location: address,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  };
}

/** Sends a browser to one of the app's addresses. */
export function redirectToApp(
  context: Pick<Context, 'route'>,
  redirect: string,
  parameters: ToApp,
): Response {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return redirectTo(context, url.href);
}
