import type {
  invitationFields,
  invitationMailFields,
} from '../../../functions/instances/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { isMailSent, useDeployment } from '../../core/deployment.ts';
import { useList, useLoad, useRepeat } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { RecordType } from '../../core/record-type.ts';
import { href } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { defineAddButton } from '../../parts/list-screen.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { roleTexts } from './role-choice.tsx';

/** An invitation to an instance; its key is shown to owner and `full` only. */
type Invitation = ShownRecord<typeof invitationFields>;

const invitationType: RecordType<Invitation> = {
  noun: 'invitation',
  title: 'Invitations',
  path: (instance) => at`instances/${instance}/invitations/`,
  place: (instance) => at`/i/${instance}/admins`,
  keyOf: ({ id }) => id,
  nameOf: ({ email }) => email,
};

const Add = defineAddButton<Invitation>({
  type: invitationType,
  form: [
    {
      kind: 'text',
      name: 'email',
      label: 'E-mail',
      input: { type: 'email', required: true, autocomplete: 'off' },
    },
    { kind: 'choice', name: 'role', label: 'Role', options: roleTexts, start: 'read' },
  ],
  made: 'Invitation created.',
});

/** Invites accounts to an instance. */
export function Invitations({ instance }: { readonly instance: string }) {
  const list = invitationType.path(instance);
  const invitations = useList<Invitation>(list);
  const isSent = isMailSent(useDeployment().data);
  const states = useMailStates(list, invitations.data ?? []);
  return (
    <section aria-labelledby="invitations">
      <div class="heading">
        <h2 id="invitations">Invitations</h2>
        <Add class="small" instance={instance} reload={invitations.reload} />
      </div>
      {!isSent && <p class="about">{noMailText}</p>}
      <LoadedTable
        of={invitations}
        caption="Open and past invitations"
        keyOf={invitationType.keyOf}
        empty={<p class="soft">No invitations yet.</p>}
        columns={[
          { name: 'E-mail', cell: ({ email }) => email },
          { name: 'Role', cell: ({ role }) => role },
          { name: 'State', cell: ({ state }) => state },
          { name: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
          { name: 'Mail', cell: ({ id }) => <MailState mail={states.data?.get(id)} /> },
          actionsColumn((invitation: Invitation) => (
            <OpenActions
              {...{ list, invitation, isSent }}
              onSent={states.reload}
              onRemoved={invitations.reload}
            />
          )),
        ]}
      />
    </section>
  );
}

interface OpenActionsProps {
  readonly list: RequestPath;
  readonly invitation: Invitation;
  /** Whether mails leave the server. */
  readonly isSent: boolean;
  readonly onSent: () => void;
  readonly onRemoved: () => void;
}

/** What can be done with an invitation: nothing when it is accepted or declined. */
function OpenActions({ list, invitation, isSent, onSent, onRemoved }: OpenActionsProps) {
  const { id, email, key, state } = invitation;
  if (state !== 'new') return null;
  const resends = { method: 'POST', path: below(list)`${id}/resend/` } as const;
  const removes = { method: 'DELETE', path: below(list)`${id}/` } as const;
  const resend = async () => {
    await send(resends);
    const mail = await send<MailRecord>({ method: 'GET', path: below(list)`${id}/mail/` });
    if (mail.state === 'failed') notify(`Mail to ${email} was not sent: ${mail.error}.`);
    else notify(`Another invitation is on its way to ${email}.`);
    onSent();
  };
  const remove = async () => {
    const text = 'Its link stops working.';
    const title = `Delete the invitation of ${email}`;
    if (!(await confirm({ title, text, verb: 'Delete' }))) return;
    await send(removes);
    onRemoved();
  };
  return (
    <div class="actions">
      {key && <CopyButton text={() => linkOf(key)} label="Copy link" about={`for ${email}`} />}
      {isSent && <Button class="small" sends={resends} onAct={resend} text="Send again" />}
      <Button class="small danger" sends={removes} onAct={remove} text="Delete…" />
    </div>
  );
}

const noMailText =
  'This server does not send mail: copy the link of the invitation and pass it on.';

/** Returns the address that accepts an invitation. */
function linkOf(key: string): string {
  return new URL(href(at`/invitation`, { key }), location.href).href;
}

type MailRecord = ShownRecord<typeof invitationMailFields>;

const lookMs = 3000;
const maxStates = 20; // each is a request

/** Loads what has become of the mails of open invitations, again while one waits. */
function useMailStates(list: RequestPath, all: readonly Invitation[]) {
  const open = all.filter(({ state }) => state === 'new');
  const states = useLoad(() => readMailStates(list, open), [open.map(({ id }) => id).join()]);
  const isWaiting = [...(states.data?.values() ?? [])].some(({ state }) => state === 'waiting');
  useRepeat(() => states.isLoading || states.reload(), lookMs, isWaiting);
  return states;
}

/** Reads what has become of the mails of open invitations. */
async function readMailStates(
  list: RequestPath,
  open: readonly Invitation[],
): Promise<ReadonlyMap<number, MailRecord>> {
  const read = async ({ id }: Invitation) => {
    const mail = await send<MailRecord>({ method: 'GET', path: below(list)`${id}/mail/` });
    return [id, mail] as const;
  };
  return new Map(await Promise.all(open.slice(0, maxStates).map(read)));
}

const mailTexts: Readonly<Record<string, string>> = {
  logged: 'not\u00a0sent',
  sent: 'sent',
  waiting: 'waiting for the mail server',
  unconfirmed: 'may have arrived: if not, send it again',
  failed: 'failed',
};

function MailState({ mail }: { readonly mail: MailRecord | undefined }) {
  if (mail === undefined) return null;
  const { state, error } = mail;
  return (
    <>
      {mailTexts[state]}
      {error !== null && <span class="soft">: {error}</span>}
    </>
  );
}
