import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { currentLocation, href, navigate } from '../../core/router.ts';
import { signIn } from '../../core/session.ts';
import { Form } from '../../parts/form.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { Account } from './account-data.ts';
import { CredentialFields } from './credential-fields.tsx';

/** Signs in with e-mail and password. */
export function Screen() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const next = currentLocation.value.query.get('next');
  const enter = async () => {
    const body = { email, password };
    const account = await send<Account>({
      method: 'POST',
      path: at`account/auth/`,
      body,
      isQuiet: true,
    });
    signIn({ accountKey: account.account_key, email: account.email });
    openAfter(next);
  };
  return (
    <ScreenFrame title="Sign in">
      <div class="narrow">
        <Form verb="Sign in" onSend={enter}>
          {(errors) => (
            <CredentialFields
              {...{ email, password, errors }}
              onEmail={setEmail}
              onPassword={setPassword}
              autocomplete="current-password"
            />
          )}
        </Form>
        <p>
          No account yet? <a href={href(at`/sign-up`, { next: next ?? undefined })}>Sign up</a>
        </p>
        <p>
          Forgot the password? <a href="#/reset-password">Get a mail to set a new one</a>
        </p>
      </div>
    </ScreenFrame>
  );
}

/** Opens the place that was asked for before the sign-in; only places of the console. */
export function openAfter(next: string | null): void {
  if (next?.startsWith('/')) location.hash = `#${next}`;
  else navigate(at`/`);
}
