import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { openedInvitation } from '../../core/mail-link.ts';
import { currentLocation, href } from '../../core/router.ts';
import { signIn } from '../../core/session.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { Account } from './account-data.ts';
import { CredentialFields } from './credential-fields.tsx';
import { checkNewPassword } from './new-password.ts';
import { openAfter } from './sign-in.tsx';

/** Makes an account: open to all, to this machine, or with a code. */
export function Screen() {
  const { query } = currentLocation.value;
  const [email, setEmail] = useState(query.get('email') ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState(query.get('code') ?? openedInvitation.peek() ?? '');
  const next = query.get('next');
  const register = async () => {
    checkNewPassword('password', password);
    const body = { email, password, ...(code !== '' && { invitation_key: code.trim() }) };
    const path = at`account/register/`;
    const account = await send<Account>({ method: 'POST', path, body, isQuiet: true });
    openedInvitation.value = undefined;
    signIn({ accountKey: account.account_key, email: account.email });
    openAfter(next);
  };
  return (
    <ScreenFrame title="Sign up">
      <div class="narrow">
        <Form verb="Sign up" onSend={register}>
          {(errors) => (
            <>
              <CredentialFields
                {...{ email, password, errors }}
                onEmail={setEmail}
                onPassword={setPassword}
                autocomplete="new-password"
              />
              <TextField
                label="Invitation or set-up code"
                hint="Needed where registration is not open: the key of an invitation, or the code that the server prints until it has an account."
                value={code}
                onValue={setCode}
                error={errors.invitation_key}
                input={{ autocomplete: 'off', spellcheck: false }}
              />
            </>
          )}
        </Form>
        <p>
          You have an account? <a href={href(at`/sign-in`, { next: next ?? undefined })}>Sign in</a>
        </p>
      </div>
    </ScreenFrame>
  );
}
