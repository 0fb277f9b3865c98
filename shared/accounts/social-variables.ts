import * as v from 'valibot';
import {
  orUndefined,
  readVariables,
  secretSetting,
  setting,
  type Variables,
} from '../ports/setting-variables.ts';
import type { SocialConfiguration } from './social.ts';

const text = v.pipe(v.optional(v.string(), ''), v.trim(), orUndefined);

/**
 * Settings of both platforms that enable log-ins by other services: id and secret of an application at each service.
 * Without an id the service is disabled.
 */
export const socialSettings = {
  /** Id of your app at Facebook; enables [its log-ins](../guides/running-locally.md#log-ins-by-other-services). */
  facebookAppId: setting('GROUNDWORK_FACEBOOK_APP_ID', text),
  /** Secret of your app at Facebook. */
  facebookAppSecret: secretSetting('GROUNDWORK_FACEBOOK_APP_SECRET', text),
  /**
   * The OAuth client that your app uses; enables [log-ins by
   * Google](../guides/running-locally.md#log-ins-by-other-services).
   */
  googleClientId: setting('GROUNDWORK_GOOGLE_CLIENT_ID', text, 'googleClientId'),
  /** Id of your OAuth app at GitHub; enables [its log-ins](../guides/running-locally.md#log-ins-by-other-services). */
  githubClientId: setting('GROUNDWORK_GITHUB_CLIENT_ID', text),
  /** Secret of your OAuth app; tokens need the scope `user:email`. */
  githubClientSecret: secretSetting('GROUNDWORK_GITHUB_CLIENT_SECRET', text),
};

/**
 * Reads the services for log-ins.
 *
 * @param Failure error to throw for an id without a secret, or the opposite
 */
export function readSocial(
  variables: Variables,
  Failure: new (message: string) => Error,
): SocialConfiguration {
  const given = readVariables(socialSettings, variables, Failure);
  const pair = (idName: keyof typeof given, secretName: keyof typeof given) => {
    const { [idName]: id, [secretName]: secret } = given;
    if (id !== undefined && secret !== undefined) return { id, secret };
    if (id === secret) return undefined;
    const { variable } = socialSettings[secretName];
    throw new Failure(`${variable} takes a value if its id is set, otherwise none`);
  };
  const facebook = pair('facebookAppId', 'facebookAppSecret');
  const github = pair('githubClientId', 'githubClientSecret');
  const { googleClientId: clientId } = given;
  return {
    ...(facebook && { facebook: { appId: facebook.id, appSecret: facebook.secret } }),
    ...(clientId !== undefined && { google: { clientId } }),
    ...(github && { github: { clientId: github.id, clientSecret: github.secret } }),
  };
}
