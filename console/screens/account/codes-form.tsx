import { useState } from 'preact/hooks';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLinkValues } from '../../core/mail-link.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate } from '../../core/router.ts';
import { isSignedIn, signIn } from '../../core/session.ts';
import { Form, newPasswordInput, TextField } from '../../parts/form.tsx';
import type { Account } from './account-data.ts';
import { checkNewPassword } from './new-password.ts';

interface CodesFormProps {
  readonly verb: string;
  /** Receives the codes of the mail; responds with the account and its key. */
  readonly path: RequestPath;
  readonly hasPassword?: boolean;
}

/**
 * The two codes of a mail, unless its link has them, and the new password where one is set. Only who sets a password is
 * signed in: the link of another account's mail must not sign its reader in as somebody else.
 */
export function CodesForm({ verb, path, hasPassword }: CodesFormProps) {
  const linked = useLinkValues(['uid', 'token']);
  const linkedCodes =
    linked.uid && linked.token ? { uid: linked.uid, token: linked.token } : undefined;
  const hasCodes = linkedCodes !== undefined;
  const [typed, setTyped] = useState({ uid: linked.uid ?? '', token: linked.token ?? '' });
  const [password, setPassword] = useState('');
  const confirm = async () => {
    if (hasPassword) checkNewPassword('new_password', password);
    const codes = linkedCodes ?? { uid: typed.uid.trim(), token: typed.token.trim() };
    const body = hasPassword ? { ...codes, new_password: password } : codes;
    const account = await send<Account>({ method: 'POST', path, body, isQuiet: true });
    if (hasPassword) signIn({ accountKey: account.account_key, email: account.email });
    else notify(`${account.email} is confirmed.`);
    navigate(hasPassword || isSignedIn.peek() ? at`/` : at`/sign-in`);
  };
  const again = hasPassword ? at`/reset-password` : at`/account`;
  const input = { required: true, autocomplete: 'off', spellcheck: false } as const;
  return (
    <div class="narrow">
      <Form verb={verb} onSend={confirm} onCancel={() => navigate(at`/`)}>
        {(errors) => (
          <>
            {!hasCodes &&
              (['uid', 'token'] as const).map((name) => (
                <TextField
                  key={name}
                  label={name}
                  value={typed[name]}
                  onValue={(value) => setTyped({ ...typed, [name]: value })}
                  error={errors[name]}
                  input={input}
                />
              ))}
            {hasCodes && errors.uid !== undefined && <p class="error">{errors.uid}</p>}
            {hasPassword && (
              <TextField
                label="New password"
                value={password}
                onValue={setPassword}
                error={errors.new_password}
                input={newPasswordInput}
              />
            )}
          </>
        )}
      </Form>
      <p>
        Does it not work any more? <a href={href(again)}>Get another mail</a>
      </p>
    </div>
  );
}
