import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { postSecret } from '../../core/api.ts';
import { useLinkValues } from '../../core/mail-link.ts';
import { newPasswordHint } from '../../core/name-hints.ts';
import { notify } from '../../core/notices.ts';
import { currentLocation, href, navigate } from '../../core/router.ts';
import { type Account, signIn } from '../../core/session.ts';
import { DraftForm } from '../../parts/draft-form.tsx';
import { nameInput, newPasswordInput, TextField } from '../../parts/form.tsx';
import { AccountCard } from './account-card.tsx';
import { checkNewPassword } from './new-password.ts';

interface CodesFormProps {
  readonly title: string;
  readonly verb: string;
  /** Receives the codes of the mail; responds with the account and its key. */
  readonly path: RequestPath;
  readonly hasPassword?: boolean;
}

/**
 * The two codes of a mail, unless its link has them, and the new password where one is set. Only who sets a password is
 * signed in: the link of another account's mail must not sign its reader in as somebody else.
 */
export function CodesForm({ title, verb, path, hasPassword }: CodesFormProps) {
  const { uid = '', token = '' } = useLinkValues(['uid', 'token']);
  const hasCodes = uid !== '' && token !== '';
  const email = currentLocation.value.query.get('email') ?? undefined;
  const confirm = async (values: Record<'uid' | 'token' | 'new_password', string>) => {
    if (hasPassword) checkNewPassword('new_password', values.new_password);
    const codes = { uid: values.uid.trim(), token: values.token.trim() };
    const body = hasPassword ? { ...codes, new_password: values.new_password } : codes;
    const account = await postSecret<Account>(path, body);
    if (hasPassword) signIn(account);
    else notify(`${account.email} is confirmed.`);
    navigate(at`/`);
  };
  return (
    <AccountCard title={title} about="The link in the mail works once, within three days.">
      <DraftForm
        key={token}
        start={{ uid, token, new_password: '' }}
        verb={verb}
        onSend={confirm}
        onCancel={() => navigate(at`/`)}
      >
        {({ text, errors }) => (
          <>
            {!hasCodes &&
              (['uid', 'token'] as const).map((name) => (
                <TextField key={name} label={name} {...text(name)} input={nameInput} />
              ))}
            {hasCodes && errors.uid !== undefined && <p class="error">{errors.uid}</p>}
            {hasPassword && (
              <TextField
                label="New password"
                hint={newPasswordHint}
                {...text('new_password')}
                input={newPasswordInput}
              />
            )}
          </>
        )}
      </DraftForm>
      <p>
        Link expired?{' '}
        <a href={href(hasPassword ? at`/reset-password` : at`/account`, { email })}>
          Send another mail
        </a>
      </p>
    </AccountCard>
  );
}
