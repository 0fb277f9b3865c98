import type { sessionFields } from '../../../functions/user-accounts/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, readAll, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { actionsColumn, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

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

/** Where a user is logged in, to end it. Nothing where users of the instance have no sessions. */
export function UserSessions({ path: user }: { readonly path: RequestPath }) {
  const path = below(user)`sessions/`;
  const sessions = useLoad(() => readSessions(path), [path]);
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
  const { data = null, problem } = sessions;
  if (data === null && problem === undefined) return null;
  return (
    <Card title="Sessions" id="sessions">
      <LoadedData of={sessions}>
        {(all) => {
          if (all === null || all.length === 0) return <p class="soft">No sessions.</p>;
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

/** Reads the sessions of a user; null where the settings of the instance give users none. */
async function readSessions(path: RequestPath): Promise<readonly Session[] | null> {
  try {
    return await readAll<Session>(path);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}
