import * as v from 'valibot';
import type { SocialConfiguration } from './social.ts';

const text = v.optional(v.pipe(v.string(), v.trim()), '');
const bothMessage = 'a value if its id is set, otherwise none';

/**
 * Environment variables of both platforms that enable logins with other services: id and secret of an application at
 * each service. Without an id the service is disabled.
 */
export const socialVariables = v.pipe(
  v.object({
    GROUNDWORK_FACEBOOK_APP_ID: text,
    GROUNDWORK_FACEBOOK_APP_SECRET: text,
    GROUNDWORK_GOOGLE_CLIENT_ID: text,
    GROUNDWORK_GITHUB_CLIENT_ID: text,
    GROUNDWORK_GITHUB_CLIENT_SECRET: text,
  }),
  v.forward(
    v.check(
      (all) => isPair(all.GROUNDWORK_FACEBOOK_APP_ID, all.GROUNDWORK_FACEBOOK_APP_SECRET),
      bothMessage,
    ),
    ['GROUNDWORK_FACEBOOK_APP_SECRET'],
  ),
  v.forward(
    v.check(
      (all) => isPair(all.GROUNDWORK_GITHUB_CLIENT_ID, all.GROUNDWORK_GITHUB_CLIENT_SECRET),
      bothMessage,
    ),
    ['GROUNDWORK_GITHUB_CLIENT_SECRET'],
  ),
  v.transform((all): SocialConfiguration => {
    const facebook = {
      appId: all.GROUNDWORK_FACEBOOK_APP_ID,
      appSecret: all.GROUNDWORK_FACEBOOK_APP_SECRET,
    };
    const google = { clientId: all.GROUNDWORK_GOOGLE_CLIENT_ID };
    const github = {
      clientId: all.GROUNDWORK_GITHUB_CLIENT_ID,
      clientSecret: all.GROUNDWORK_GITHUB_CLIENT_SECRET,
    };
    return {
      ...(facebook.appId !== '' && { facebook }),
      ...(google.clientId !== '' && { google }),
      ...(github.clientId !== '' && { github }),
    };
  }),
);

function isPair(id: string, secret: string): boolean {
  return (id === '') === (secret === '');
}
