import { useEffect } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { openedInvitation, useLinkValues } from '../../core/mail-link.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate } from '../../core/router.ts';
import { session, signOut } from '../../core/session.ts';
import { Form } from '../../parts/form.tsx';
import { ScreenFrame } from '../../parts/page.tsx';

/** Accepts the invitation of a mail's link, with the account that is signed in or a new one. */
export function Screen() {
  const { key } = useLinkValues(['key']);
  useEffect(() => {
    if (key !== undefined) openedInvitation.value = key;
  }, [key]);
  const opened = key ?? openedInvitation.value;
  const account = session.value;
  if (opened === undefined) {
    return (
      <ScreenFrame title="Invitation">
        <p>
          The address has no key. Open the link of the mail again, or enter the key at{' '}
          <a href={href(at`/account`)}>your account</a>.
        </p>
      </ScreenFrame>
    );
  }
  return (
    <ScreenFrame title="You are invited" about="You become an admin of an instance.">
      <div class="narrow">
        {account === undefined ? (
          <p class="actions">
            <a class="button main" href={href(at`/sign-up`)}>
              Make an account
            </a>
            <a class="button" href={href(at`/sign-in`, { next: '/invitation' })}>
              Sign in
            </a>
          </p>
        ) : (
          <>
            <p>You are signed in as {account.email}.</p>
            <Form
              verb="Accept the invitation"
              onSend={() => accept(opened)}
              onCancel={() => navigate(at`/`)}
            >
              {(errors) =>
                errors.invitation_key !== undefined && (
                  <p class="error">{errors.invitation_key} It was accepted, deleted or declined.</p>
                )
              }
            </Form>
            <p>
              <button type="button" class="link" onClick={signOut}>
                Use another account
              </button>
            </p>
          </>
        )}
      </div>
    </ScreenFrame>
  );
}

async function accept(key: string): Promise<void> {
  const body = { invitation_key: key };
  await send({ method: 'POST', path: at`account/invitations/accept/`, body, isQuiet: true });
  openedInvitation.value = undefined;
  notify('You are an admin now: see your instances.');
  navigate(at`/`);
}
