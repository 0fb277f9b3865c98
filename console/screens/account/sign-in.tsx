import { at } from '../../../shared/values/text/request-path.ts';
import { postSecret } from '../../core/api.ts';
import { newPasswordHint } from '../../core/name-hints.ts';
import { currentLocation, href } from '../../core/router.ts';
import { type Account, endReason, signIn } from '../../core/session.ts';
import { DraftForm, type FormDraft } from '../../parts/draft-form.tsx';
import { TextField } from '../../parts/form.tsx';
import { AccountCard } from './account-card.tsx';

/** Signs in with e-mail and password, and says why the last session ended. */
export function Screen() {
  const { query } = currentLocation.value;
  const next = query.get('next') ?? undefined;
  const email = query.get('email') ?? '';
  const reason = endReason.value;
  return (
    <AccountCard
      title="Sign in"
      about={
        reason && (
          <span role="status">Your session has ended because {reason}. Sign in to continue.</span>
        )
      }
    >
      <DraftForm
        start={{ email, password: '' }}
        verb="Sign in"
        onSend={async (body) => {
          signIn(await postSecret<Account>(at`account/auth/`, body));
          openAfter(next);
        }}
        isDisposable
        below={(typed) => (
          <>
            <p>
              <a href={href(at`/reset-password`, { next, email: typed.email })}>
                Forgot your password?
              </a>
            </p>
            <p>
              No account yet? <a href={href(at`/sign-up`, { next, email: typed.email })}>Sign up</a>
            </p>
          </>
        )}
      >
        {({ text }) => <CredentialFields text={text} autocomplete="current-password" />}
      </DraftForm>
    </AccountCard>
  );
}

/** Opens the place that was asked for before the sign-in, instead of the form; only places of the console. */
export function openAfter(next: string | undefined): void {
  location.replace(next?.startsWith('/') ? `#${next}` : '#/');
}

interface CredentialFieldsProps {
  readonly text: FormDraft<{ readonly email: string; readonly password: string }>['text'];
  /** What a password manager does with the password. */
  readonly autocomplete: 'current-password' | 'new-password';
}

/** E-mail and password of an account. */
export function CredentialFields({ text, autocomplete }: CredentialFieldsProps) {
  return (
    <>
      <TextField
        label="E-mail"
        {...text('email')}
        input={{ type: 'email', name: 'email', autocomplete: 'username', required: true }}
      />
      <TextField
        label="Password"
        {...(autocomplete === 'new-password' && { hint: newPasswordHint })}
        {...text('password')}
        input={{ type: 'password', name: 'password', autocomplete, maxLength: 128, required: true }}
      />
    </>
  );
}
