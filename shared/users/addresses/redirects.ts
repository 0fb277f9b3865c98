import type { UserSettingsData } from '../../table/records/user-accounts.ts';
import { invalid } from '../../values/errors/errors.ts';

/**
 * Returns the page of the app that a link leads to; undefined: none was sent.
 *
 * @throws ApiError 400 for one that the settings do not have, letter by letter
 */
export function allowedRedirect(
  { redirects }: UserSettingsData,
  redirect: string | undefined,
): string | undefined {
  if (redirect === undefined || redirect === '') return undefined;
  if (!redirects.includes(redirect)) {
    throw invalid({ redirect: ['The address is not among the redirects in the settings.'] });
  }
  return redirect;
}
