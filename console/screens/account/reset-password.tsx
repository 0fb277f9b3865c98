import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { isMailSent, useDeployment } from '../../core/deployment.ts';
import { currentLocation, href, navigate } from '../../core/router.ts';
import { DraftForm } from '../../parts/draft-form.tsx';
import { TextField } from '../../parts/form.tsx';
import { AccountCard } from './account-card.tsx';

const path = at`account/password/reset/`;

/** Sends a mail with which a forgotten password is replaced. */
export function Screen() {
  const [sentTo, setSentTo] = useState<string>();
  const isSent = isMailSent(useDeployment().data);
  const { next, email = '' } = Object.fromEntries(currentLocation.value.query);
  if (sentTo !== undefined) {
    return (
      <AccountCard title="Check your mail">
        <p>
          A mail to {sentTo} has a link to set a new password. It may take a minute, or be in your
          spam folder. No link in it? <a href="#/reset-password/confirm">Enter its codes</a>
        </p>
      </AccountCard>
    );
  }
  return (
    <AccountCard
      title="Reset your password"
      about={
        isSent
          ? 'You get a mail with a link.'
          : 'This server sends no mail. It writes the mail with the link into its log: ask the operator.'
      }
    >
      <DraftForm
        start={{ email }}
        verb={isSent ? 'Send mail' : 'Continue'}
        onSend={async (body) => {
          await send({ method: 'POST', path, body });
          if (isSent) setSentTo(body.email);
          else navigate(at`/reset-password/confirm`, body);
        }}
        isDisposable
        below={(typed) => (
          <p>
            Remembered it? <a href={href(at`/sign-in`, { next, email: typed.email })}>Sign in</a>
          </p>
        )}
      >
        {({ text }) => (
          <TextField
            label="E-mail"
            {...text('email')}
            input={{ type: 'email', autocomplete: 'username', required: true }}
          />
        )}
      </DraftForm>
    </AccountCard>
  );
}
