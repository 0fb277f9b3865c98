import type { sessionFields } from '../../../functions/user-accounts/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useList } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { refusalOf } from '../../core/roles.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { actionsColumn, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { User } from './user-data.ts';

type Session = ShownRecord<typeof sessionFields>;

/** How a session began, in words. */
const proofs: Readonly<Record<Session['proof'], string>> = {
  password: 'with the password',
  email: 'by a mail',
  code: 'with a code',
  guest: 'as a guest',
  provider: 'by another service',
  key: 'with the user key',
};

/** Where a user is logged in, to end it. Nothing where users have no sessions, or the role may not see them. */
export function UserSessions({ of, item }: ItemPartProps<User>) {
  const path = below(of.path)`sessions/`;
  const isSeen = hasAccounts(item) && refusalOf({ method: 'GET', path }) === undefined;
  return isSeen ? <SessionCard path={path} /> : null;
}

function SessionCard({ path }: { readonly path: RequestPath }) {
  const sessions = useList<Session>(path);
  const end = async (session: Session) => {
    await send({ method: 'DELETE', path: below(path)`${session.id}/` });
    sessions.reload();
    notify('Session ended.');
  };
  const endAll = async () => {
    const isSure = await confirm({
      title: 'End all sessions',
      text: 'The user is logged out of every app that uses a session.',
      verb: 'End all sessions',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    sessions.reload();
    notify('All sessions ended.');
  };
  return (
    <Card title="Sessions" id="sessions">
      <LoadedData of={sessions}>
        {(all) => {
          if (all.length === 0) return <p class="soft">No sessions.</p>;
          return (
            <>
              <SessionTable sessions={all} onEnd={end} />
              <Button class="danger" onAct={endAll} text="End all sessions…" />
            </>
          );
        }}
      </LoadedData>
    </Card>
  );
}

interface SessionTableProps {
  readonly sessions: readonly Session[];
  readonly onEnd: (session: Session) => Promise<void>;
}

function SessionTable({ sessions, onEnd }: SessionTableProps) {
  return (
    <Table
      caption="Sessions of the user"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Log-in',
          cell: ({ proof, provider }) => (provider ? `by ${provider}` : proofs[proof]),
        },
        { name: 'Started', cell: ({ created_at }) => <Time value={created_at} /> },
        { name: 'Last used', cell: ({ used_at }) => <Time value={used_at} /> },
        { name: 'Ends', cell: ({ ends_at }) => <Time value={ends_at} /> },
        actionsColumn((session: Session) => (
          <Button
            class="small"
            aria-label={`End the session ${session.id}`}
            onAct={() => onEnd(session)}
            text="End"
          />
        )),
      ]}
    />
  );
}

/** Whether the settings of the instance give users more than a name, and so sessions (docs/reference/user-accounts.md#off). */
function hasAccounts({ email, guest_until: guestUntil, services }: User): boolean {
  return email !== undefined || guestUntil !== undefined || services !== undefined;
}
