import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { notify } from '../../core/notices.ts';
import { Form, newPasswordInput, TextField } from '../../parts/form.tsx';
import type { Account } from './account-data.ts';
import { checkNewPassword } from './new-password.ts';

interface PasswordFormProps {
  readonly account: Account;
  readonly onSet: () => void;
}

/** Changes the password; an account that was made by a log-in elsewhere sets its first one. */
export function PasswordForm({ account, onSet }: PasswordFormProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = async () => {
    checkNewPassword('new_password', password);
    await send(
      account.has_password
        ? {
            method: 'POST',
            path: at`account/password/`,
            body: { current_password: current, new_password: password },
            isQuiet: true,
          }
        : { method: 'POST', path: at`account/password/set/`, body: { password }, isQuiet: true },
    );
    setCurrent('');
    setPassword('');
    notify('The password is changed. The account key stays.');
    onSet();
  };
  return (
    <Form verb="Change the password" onSend={save}>
      {(errors) => (
        <>
          {account.has_password && (
            <TextField
              label="Current password"
              value={current}
              onValue={setCurrent}
              error={errors.current_password}
              input={{ type: 'password', autocomplete: 'current-password', required: true }}
            />
          )}
          <TextField
            label="New password"
            value={password}
            onValue={setPassword}
            error={errors.new_password ?? errors.password}
            input={newPasswordInput}
          />
        </>
      )}
    </Form>
  );
}
