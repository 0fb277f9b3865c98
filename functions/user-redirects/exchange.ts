import { defineFields, instanceOf, text, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { limitRequests } from '../../shared/users/addresses/request-limits.ts';
import { type LogInCode, openClaims } from '../../shared/users/redirects/sealed-claims.ts';
import { serviceDigest } from '../../shared/users/redirects/services.ts';
import { userSettingsOf } from '../../shared/users/settings/user-settings.ts';
import { isVerifierOf } from '../../shared/values/keys/proof-key.ts';
import { type ExchangeContext, invalidCode, logInWith } from './log-in.ts';

/** Fields of an exchange. */
export const exchangeFields = defineFields({
  code: text(6000, { required: true }),
  code_verifier: text(128, { required: true }),
});

/**
 * Exchanges the code of a log-in by redirect for a session of the user
 * (docs/reference/user-accounts.md#log-in-by-redirect).
 */
export async function exchangeCode(context: ExchangeContext, body: Body): Promise<Response> {
  const { code, code_verifier: verifier } = validInput(exchangeFields, body, 'create');
  await limitRequests(context, 'redirect');
  const { platform } = context;
  const claims = await openClaims(platform, { kind: 'code', instance: instanceOf(context) }, code);
  if (claims === undefined || !isFor(context, claims, verifier)) throw invalidCode();
  return retryOnConflict(() => logInWith(context, claims));
}

/** Checks that a code is valid now, and that the app that exchanges it is the one that has begun the log-in. */
function isFor(context: ExchangeContext, claims: LogInCode, verifier: string): boolean {
  const { platform, actor } = context;
  const { providers } = userSettingsOf(context);
  const isSame = (name: string) => name === claims.provider;
  return (
    claims.until > platform.clock.micros() / 1_000_000 &&
    actor.kind === 'apiKey' &&
    actor.key === claims.key &&
    isVerifierOf(claims.challenge, verifier) &&
    providers.some((each) => isSame(each.name) && serviceDigest(each) === claims.service)
  );
}
