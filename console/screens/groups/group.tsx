import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { confirm } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { PageButtons, usePages } from '../../parts/paged.tsx';
import { Table } from '../../parts/table.tsx';
import { type Group, nameOfGroup, readUserByName, type User } from '../users/user-data.ts';
import { GroupForm } from './group-form.tsx';

/** A group: its fields and members. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', id = '' } = names;
  const path = at`instances/${instance}/groups/${id}/`;
  const list = at`/i/${instance}/groups`;
  const group = useLoad<Group>((signal) => send({ method: 'GET', path, signal }), [path]);
  const title = group.data === undefined ? 'Group' : nameOfGroup(group.data);
  const save = async (body: Omit<Group, 'id'>) => {
    group.setData(await send<Group>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const remove = async () => {
    const isSure = await confirm({
      title: `Delete the group ${title}`,
      text: 'It gives no right from then on. Its users stay. This cannot be undone.',
      verb: 'Delete the group',
      name: title,
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The group is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={title}
      above={[{ text: 'Groups', href: href(list) }]}
      actions={
        group.data !== undefined && (
          <button type="button" class="danger" onClick={() => attempt(remove)}>
            Delete…
          </button>
        )
      }
    >
      <LoadedData of={group}>
        {(data) => (
          <>
            <Members instance={instance} path={below(path)`users/`} />
            <section class="card" aria-labelledby="settings">
              <h2 id="settings">Settings</h2>
              <GroupForm group={data} verb="Save the group" onSend={save} />
            </section>
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

interface MembersProps {
  readonly instance: string;
  /** Path of the memberships. */
  readonly path: RequestPath;
}

const pageSize = 50;

function Members({ instance, path }: MembersProps) {
  const members = usePages<{ readonly user: User }>(path, { page_size: pageSize });
  const add = async (user: number) => {
    await send({ method: 'POST', path, body: { user } });
    members.reload();
  };
  const remove = async ({ id, username }: User) => {
    await send({ method: 'DELETE', path: below(path)`${id}/` });
    members.reload();
    notify(`${username} is removed.`, () => add(id));
  };
  return (
    <section class="card" aria-labelledby="members">
      <h2 id="members">Members</h2>
      <LoadedData of={members}>
        {(objects) =>
          objects.length === 0 ? (
            <p class="soft">The group has no member.</p>
          ) : (
            <Table
              caption="Members of the group"
              rows={objects.map(({ user }) => user)}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'User',
                  cell: ({ id, username }) => (
                    <a href={href(at`/i/${instance}/users/${id}`)}>{username}</a>
                  ),
                },
                {
                  name: 'Actions',
                  isActions: true,
                  cell: (user) => (
                    <button
                      type="button"
                      class="small"
                      aria-label={`Remove ${user.username}`}
                      onClick={() => attempt(() => remove(user))}
                    >
                      Remove
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </LoadedData>
      <PageButtons of={members} />
      <NewMember instance={instance} onAdd={add} />
    </section>
  );
}

interface NewMemberProps {
  readonly instance: string;
  readonly onAdd: (user: number) => Promise<void>;
}

function NewMember({ instance, onAdd }: NewMemberProps) {
  const [username, setUsername] = useState('');
  const add = async () => {
    const user = await readUserByName(instance, username);
    if (user === undefined) throw new ApiProblem(0, 'No user has this name.');
    await onAdd(user.id);
    setUsername('');
  };
  return (
    <Form verb="Add to the group" onSend={add}>
      {(errors) => (
        <TextField
          label="Name of the user"
          value={username}
          onValue={setUsername}
          error={errors.user}
          input={{ required: true, autocomplete: 'off', spellcheck: false, maxLength: 64 }}
        />
      )}
    </Form>
  );
}
