import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { isMailSent, useDeployment } from '../../core/deployment.ts';
import { navigate } from '../../core/router.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { ScreenFrame } from '../../parts/page.tsx';

/** Sends a mail with which a forgotten password is replaced. */
export function Screen() {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const deployment = useDeployment();
  const ask = async () => {
    await send({ method: 'POST', path: at`account/password/reset/`, body: { email } });
    if (isMailSent(deployment.data)) setSent(true);
    else navigate(at`/reset-password/confirm`);
  };
  if (isSent) {
    return (
      <ScreenFrame title="Look at your mail">
        <p>
          A mail to {email} has a link to set a new password. It may take a minute, and be in your
          spam folder. Without a link, <a href="#/reset-password/confirm">enter its codes</a>.
        </p>
      </ScreenFrame>
    );
  }
  return (
    <ScreenFrame
      title="Set a new password"
      about={
        isMailSent(deployment.data)
          ? 'You get a mail with a link.'
          : 'This server sends no mail: it writes the mail, with its link, into its log. Ask its operator.'
      }
    >
      <div class="narrow">
        <Form verb="Send the mail" onSend={ask} onCancel={() => navigate(at`/sign-in`)}>
          {(errors) => (
            <TextField
              label="E-mail"
              value={email}
              onValue={setEmail}
              error={errors.email}
              input={{ type: 'email', autocomplete: 'username', required: true }}
            />
          )}
        </Form>
      </div>
    </ScreenFrame>
  );
}
