import { useEffect } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { postSecret } from '../../core/api.ts';
import { openedInvitation, useLinkValues } from '../../core/mail-link.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate } from '../../core/router.ts';
import { session, signOut } from '../../core/session.ts';
import { receiveSession } from '../../core/tabs.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { AccountCard } from './account-card.tsx';

/** Accepts the invitation of a mail's link, with the account that is signed in or a new one. */
export function Screen() {
  const { key = openedInvitation.value } = useLinkValues(['key']);
  useEffect(() => {
    openedInvitation.value = key;
    void receiveSession();
  }, [key]);
  const account = session.value;
  if (key === undefined) {
    return (
      <AccountCard title="Invitation">
        <p>
          This address has no key. Open the link in the mail again, or enter the key in{' '}
          <a href={href(at`/account`)}>your account</a>.
        </p>
      </AccountCard>
    );
  }
  return (
    <AccountCard title="You are invited" about="You become an admin of an instance.">
      {account === undefined ? (
        <p class="actions">
          <a class="button main" href={href(at`/sign-up`)}>
            Sign up
          </a>
          <a class="button" href={href(at`/sign-in`, { next: '/invitation' })}>
            Sign in
          </a>
        </p>
      ) : (
        <>
          <p>You are signed in as {account.email}.</p>
          <Form
            verb="Accept invitation"
            onSend={() => accept(key)}
            onCancel={() => navigate(at`/`)}
          >
            {(errors) =>
              errors.invitation_key !== undefined && (
                <p class="error">{errors.invitation_key} It was accepted, deleted or declined.</p>
              )
            }
          </Form>
          <p>
            <Button class="link" onAct={() => signOut()} text="Use another account" />
          </p>
        </>
      )}
    </AccountCard>
  );
}

async function accept(key: string): Promise<void> {
  await postSecret(at`account/invitations/accept/`, { invitation_key: key });
  openedInvitation.value = undefined;
  notify('You are now an admin of the instance.');
  navigate(at`/`);
}
