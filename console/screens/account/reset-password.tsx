import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { navigate } from '../../core/router.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { ScreenFrame } from '../../parts/page.tsx';

/** Sends a mail with which a forgotten password is replaced. */
export function Screen() {
  const [email, setEmail] = useState('');
  const ask = async () => {
    await send({ method: 'POST', path: at`account/password/reset/`, body: { email } });
    navigate(at`/reset-password/confirm`);
  };
  return (
    <ScreenFrame
      title="Set a new password"
      about="You get a mail with two codes. A server without mail writes it into its log."
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
