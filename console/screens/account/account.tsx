import { at } from '../../../shared/values/text/request-path.ts';
import { postSecret, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { isMailSent, useDeployment } from '../../core/deployment.ts';
import { type Loading, useRecord } from '../../core/load.ts';
import { newPasswordHint } from '../../core/name-hints.ts';
import { notify } from '../../core/notices.ts';
import { type Account, signIn } from '../../core/session.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { newPasswordInput, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { checkNewPassword } from './new-password.ts';
import { OpenInvitations } from './open-invitations.tsx';

/** The account that is signed in: name and address, password, key, and invitations to it. */
export function Screen() {
  const account = useRecord<Account>(at`account/`);
  const { data: own } = account;
  return (
    <ScreenFrame title="Your account">
      <LoadedData of={account}>
        {(data) => (
          <div class="columns">
            <Card title="Name and address">
              {!data.is_active && <Unconfirmed email={data.email} />}
              <Names account={data} loading={account} />
            </Card>
            <Card title="Password">
              <Password account={data} loading={account} />
            </Card>
          </div>
        )}
      </LoadedData>
      <Card title="Invitations to you">
        <OpenInvitations />
      </Card>
      <Card title="Account key">
        <p class="about">
          Requests with this key can do everything that you can. After a reset the current key stops
          working immediately, in programs and in other browsers.
        </p>
        {own && <Button class="danger" onAct={() => resetKey(own)} text="Reset key…" />}
      </Card>
    </ScreenFrame>
  );
}

function Unconfirmed({ email }: Pick<Account, 'email'>) {
  if (!isMailSent(useDeployment().data)) {
    return (
      <p>
        This address is not confirmed. This server sends no mail. The link is in its log;{' '}
        <a href="#/activate">enter the codes</a> from there.
      </p>
    );
  }
  const resend = async () => {
    await send({ method: 'POST', path: at`account/resend_email/`, body: { email } });
    notify(`A mail to ${email} is on its way.`);
  };
  return (
    <p>
      This address is not confirmed. Open the link in the mail,{' '}
      <a href="#/activate">enter its codes</a>, or{' '}
      <Button class="link" onAct={resend} text="get another mail" />.
    </p>
  );
}

interface AccountFormProps {
  readonly account: Account;
  readonly loading: Loading<Account>;
}

function Names({ account, loading }: AccountFormProps) {
  const { email, first_name, last_name } = account;
  return (
    <DraftForm
      start={{ email, first_name, last_name }}
      verb="Save"
      onSend={async (body) => {
        loading.setData(await send<Account>({ method: 'PATCH', path: at`account/`, body }));
        notify('Saved.');
      }}
    >
      {({ text }) => (
        <>
          <TextField
            label="E-mail"
            hint="A new address has to be confirmed by mail."
            {...text('email')}
            input={{ type: 'email', autocomplete: 'email', required: true }}
          />
          <TextField
            label="First name"
            {...text('first_name')}
            input={{ autocomplete: 'given-name', maxLength: 64 }}
          />
          <TextField
            label="Last name"
            {...text('last_name')}
            input={{ autocomplete: 'family-name', maxLength: 64 }}
          />
        </>
      )}
    </DraftForm>
  );
}

/** Changes the password; an account that was made by a log-in elsewhere sets its first one. */
function Password({ account, loading }: AccountFormProps) {
  const isFirst = !account.has_password;
  return (
    <DraftForm
      start={{ current_password: '', new_password: '' }}
      verb={isFirst ? 'Set password' : 'Change password'}
      onSend={async (body) => {
        const password = body.new_password;
        checkNewPassword('new_password', password);
        if (isFirst) await postSecret(at`account/password/set/`, { password });
        else await postSecret(at`account/password/`, body);
        notify('The password was changed. The account key still works.');
        loading.reload();
      }}
      isEmptied
    >
      {({ text, errors }) => (
        <>
          {!isFirst && (
            <TextField
              label="Current password"
              {...text('current_password')}
              input={{ type: 'password', autocomplete: 'current-password', required: true }}
            />
          )}
          <TextField
            label="New password"
            hint={newPasswordHint}
            {...text('new_password')}
            error={errors.new_password ?? errors.password}
            input={newPasswordInput}
          />
        </>
      )}
    </DraftForm>
  );
}

async function resetKey({ email }: Account): Promise<void> {
  const isSure = await confirm({
    title: `Reset the key of ${email}`,
    text: 'The current key stops working immediately. This tab continues with the new one.',
    verb: 'Reset key',
  });
  if (!isSure) return;
  signIn(await send<Account>({ method: 'POST', path: at`account/reset_key/` }));
  notify('The account key was reset.');
}
