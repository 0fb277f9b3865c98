import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { isMailSent, useDeployment } from '../../core/deployment.ts';
import { type Loading, useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { signIn } from '../../core/session.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { Account } from './account-data.ts';
import { OpenInvitations } from './open-invitations.tsx';
import { PasswordForm } from './password-form.tsx';

/** The account that is signed in: name and address, password, key, and invitations to it. */
export function Screen() {
  const account = useLoad<Account>(
    (signal) => send({ method: 'GET', path: at`account/`, signal }),
    [],
  );
  return (
    <ScreenFrame title="Your account">
      <LoadedData of={account}>
        {(data) => (
          <div class="columns">
            <section class="card">
              <h2>Name and address</h2>
              {!data.is_active && <Unconfirmed email={data.email} />}
              <Names account={data} loading={account} />
            </section>
            <section class="card">
              <h2>Password</h2>
              <PasswordForm account={data} onSet={account.reload} />
            </section>
          </div>
        )}
      </LoadedData>
      <section class="card">
        <h2>Invitations to you</h2>
        <OpenInvitations />
      </section>
      <section class="card">
        <h2>Account key</h2>
        <p class="about">
          The key may do everything that you may. A reset ends it at once, everywhere: programs that
          have it, and other tabs, need the new one.
        </p>
        <DangerButton of={account} verb="Reset the key…" onAct={resetKey} />
      </section>
    </ScreenFrame>
  );
}

function Unconfirmed({ email }: Pick<Account, 'email'>) {
  const isSent = isMailSent(useDeployment().data);
  const resend = async () => {
    await send({ method: 'POST', path: at`account/resend_email/`, body: { email } });
    notify(isSent ? `A mail to ${email} is on its way.` : 'The mail is in the log of the server.');
  };
  return (
    <p>
      The address is not confirmed.{' '}
      {isSent ? 'Open the link of the mail' : 'This server sends no mail: its log has it'},{' '}
      <a href="#/activate">enter its codes</a>, or{' '}
      <button type="button" class="link" onClick={() => attempt(resend)}>
        get another mail
      </button>
      .
    </p>
  );
}

interface NamesProps {
  readonly account: Account;
  readonly loading: Loading<Account>;
}

function Names({ account, loading }: NamesProps) {
  const [email, setEmail] = useState(account.email);
  const [first, setFirst] = useState(account.first_name);
  const [last, setLast] = useState(account.last_name);
  const save = async () => {
    const body = { first_name: first, last_name: last, ...(email !== account.email && { email }) };
    loading.setData(await send<Account>({ method: 'PATCH', path: at`account/`, body }));
    notify('Saved.');
  };
  return (
    <Form verb="Save" onSend={save}>
      {(errors) => (
        <>
          <TextField
            label="E-mail"
            hint="Another address has to be confirmed by a mail."
            value={email}
            onValue={setEmail}
            error={errors.email}
            input={{ type: 'email', autocomplete: 'email', required: true }}
          />
          <TextField
            label="First name"
            value={first}
            onValue={setFirst}
            error={errors.first_name}
            input={{ autocomplete: 'given-name', maxLength: 64 }}
          />
          <TextField
            label="Last name"
            value={last}
            onValue={setLast}
            error={errors.last_name}
            input={{ autocomplete: 'family-name', maxLength: 64 }}
          />
        </>
      )}
    </Form>
  );
}

async function resetKey({ email }: Account): Promise<void> {
  const isSure = await confirm({
    title: `Reset the key of ${email}`,
    text: 'The present key ends at once. This tab goes on with the new one.',
    verb: 'Reset the key',
  });
  if (!isSure) return;
  const account = await send<Account>({ method: 'POST', path: at`account/reset_key/` });
  signIn({ accountKey: account.account_key, email: account.email });
  notify('Your account has another key.');
}
