import { useEffect } from 'preact/hooks';
import type { keyInvitationFields } from '../../../functions/account/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { postSecret } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { openedInvitation, useLinkValues } from '../../core/mail-link.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate } from '../../core/router.ts';
import { session, signOut } from '../../core/session.ts';
import { receiveSession } from '../../core/tabs.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorText } from '../../parts/field-messages.tsx';
import { Form } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { AccountCard } from './account-card.tsx';

type Invitation = ShownRecord<typeof keyInvitationFields>;

/** Accepts the invitation of a mail's link, with the account that is signed in or a new one. */
export function Screen() {
  const { key = openedInvitation.value } = useLinkValues(['key']);
  useEffect(() => {
    openedInvitation.value = key;
    void receiveSession();
  }, [key]);
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
    <AccountCard title="You are invited">
      <OpenInvitation invitationKey={key} />
    </AccountCard>
  );
}

function OpenInvitation({ invitationKey }: Pick<InvitedProps, 'invitationKey'>) {
  const body = { invitation_key: invitationKey };
  const invitation = useLoad(
    () => postSecret<Invitation>(at`account/invitations/show/`, body),
    [invitationKey],
  );
  const error = invitation.problem?.fields.invitation_key;
  if (error !== undefined) {
    return <ErrorText>{`${error} It was accepted, deleted or declined.`}</ErrorText>;
  }
  return (
    <LoadedData of={invitation}>{(shown) => <Invited {...{ invitationKey, shown }} />}</LoadedData>
  );
}

interface InvitedProps {
  readonly invitationKey: string;
  readonly shown: Invitation;
}

function Invited({ invitationKey, shown }: InvitedProps) {
  const { email, role, instance, inviter } = shown;
  const account = session.value;
  return (
    <>
      <p>
        {inviter} invites you to the instance <strong>{instance}</strong> as an admin with the role{' '}
        {role}.
      </p>
      {account === undefined ? (
        <p class="actions">
          <a class="button main" href={href(at`/sign-up`, { email })}>
            Sign up
          </a>
          <a class="button" href={href(at`/sign-in`, { next: '/invitation', email })}>
            Sign in
          </a>
        </p>
      ) : (
        <>
          <p>
            You are signed in as {account.email}.
            {account.email !== email && ` The invitation is for ${email}.`}
          </p>
          <Form
            verb="Accept invitation"
            onSend={() => accept(invitationKey, instance)}
            onCancel={() => navigate(at`/`)}
          >
            {() => null}
          </Form>
          <p>
            <Button class="link" onAct={() => signOut()} text="Use another account" />
          </p>
        </>
      )}
    </>
  );
}

async function accept(key: string, instance: string): Promise<void> {
  await postSecret(at`account/invitations/accept/`, { invitation_key: key });
  openedInvitation.value = undefined;
  notify(`You are now an admin of ${instance}.`);
  navigate(at`/i/${instance}`);
}
