import { at } from '../../../shared/values/text/request-path.ts';
import { postSecret } from '../../core/api.ts';
import { useDeployment } from '../../core/deployment.ts';
import { openedInvitation, useLinkValues } from '../../core/mail-link.ts';
import { currentLocation, href } from '../../core/router.ts';
import { type Account, signIn } from '../../core/session.ts';
import { DraftForm } from '../../parts/draft-form.tsx';
import { nameInput, TextField } from '../../parts/form.tsx';
import { AccountCard } from './account-card.tsx';
import { checkNewPassword } from './new-password.ts';
import { CredentialFields, openAfter } from './sign-in.tsx';

/** What to send with a registration, by what the server says that it needs. */
const codes = {
  open: undefined,
  set_up_code: {
    about: 'This server has no account yet. Yours will be the first.',
    label: 'Set-up code',
    hint: 'The server prints it when it starts. On AWS, the output SetUpCode has the command for it.',
  },
  invitation: {
    about: 'You need an invitation to an instance.',
    label: 'Invitation key',
    hint: 'From the mail or the link of your invitation.',
  },
};

/** Creates an account; asks for a code where the server needs one, or the link that was opened has one. */
export function Screen() {
  const { query } = currentLocation.value;
  const { code = openedInvitation.peek() ?? '' } = useLinkValues(['code']);
  const needed = codes[useDeployment().data?.sign_up ?? 'open'];
  const asked = needed ?? (code === '' ? undefined : codes.invitation);
  const next = query.get('next') ?? undefined;
  const email = query.get('email') ?? '';
  const isInvited = openedInvitation.peek() !== undefined; // the sign-up accepts it, a sign-in does not
  return (
    <AccountCard title="Sign up" about={needed?.about}>
      <DraftForm
        key={code}
        start={{ email, password: '', invitation_key: code.trim() }}
        verb="Sign up"
        onSend={async (body) => {
          checkNewPassword('password', body.password);
          const account = await postSecret<Account>(at`account/register/`, body);
          openedInvitation.value = undefined;
          signIn(account);
          openAfter(isInvited ? undefined : next);
        }}
        isDisposable
        below={(typed) => (
          <p>
            Already have an account?{' '}
            <a
              href={href(at`/sign-in`, {
                next: isInvited ? '/invitation' : next,
                email: typed.email,
              })}
            >
              Sign in
            </a>
          </p>
        )}
      >
        {({ text }) => (
          <>
            <CredentialFields text={text} autocomplete="new-password" />
            {asked && (
              <TextField
                label={asked.label}
                hint={asked.hint}
                {...text('invitation_key')}
                input={nameInput}
              />
            )}
          </>
        )}
      </DraftForm>
    </AccountCard>
  );
}
