import * as v from 'valibot';
import { handleMailLetter } from '../../../accounts/mail/mail-letters.ts';
import { resetPassword } from '../../../accounts/reset-password.ts';
import { hashAside } from '../../../accounts/rules/hash-aside.ts';
import { hashPassword } from '../../../accounts/rules/passwords.ts';
import { changeSuspension } from '../../../instances/suspension.ts';
import type { ChangeConsumer, Services } from '../../../jobs/change-feed.ts';
import { handleDeadLetter } from '../../../jobs/dead-letters.ts';
import { sendTestMail } from './test-mail.ts';

const emailAddress = v.pipe(v.string(), v.email('that is no e-mail address'));

const letter = v.object({
  action: v.picklist(['replay', 'drop']),
  id: v.string(),
  at: v.string(),
});

const schema = v.union([
  v.object({ deadLetter: letter }),
  v.object({ mail: letter }),
  v.object({ resetPassword: v.object({ email: v.string(), password: v.string() }) }),
  v.object({ testMail: v.object({ to: emailAddress }) }),
  v.object({
    suspension: v.variant('action', [
      v.object({
        action: v.literal('suspend'),
        instance: v.string(),
        reason: v.optional(v.string()),
      }),
      v.object({ action: v.literal('resume'), instance: v.string() }),
    ]),
  }),
]);

/** Handles the request of a command for operators. */
export async function handleControl(
  services: Services,
  consumers: readonly ChangeConsumer[],
  request: unknown,
): Promise<void> {
  const parsed = v.parse(schema, request);
  if ('deadLetter' in parsed) return handleDeadLetter(services, consumers, parsed.deadLetter);
  if ('mail' in parsed) return handleMailLetter(services, parsed.mail);
  if ('suspension' in parsed) return changeSuspension(services, parsed.suspension);
  if ('testMail' in parsed) return sendTestMail(services, parsed.testMail.to);
  const { email, password } = parsed.resetPassword;
  const hash = await hashPassword(password, services.settings.passwordCost, hashAside);
  return resetPassword(services, { email, hash });
}
