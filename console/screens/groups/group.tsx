import { below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send } from '../../core/api.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { nameInput, TextField } from '../../parts/form.tsx';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { usePages } from '../../parts/paged.tsx';
import {
  type Group,
  groupType,
  nameOfGroup,
  readUserByName,
  type User,
  userType,
} from '../users/user-data.ts';
import { GroupForm } from './group-form.tsx';

/** A group: its fields and members. */
export function Screen({ names: { instance = '', id = '' } }: ScreenProps) {
  const group = useItem<Group>(groupType, instance, id);
  return (
    <ItemScreen
      of={group}
      unloadedTitle="Group"
      deletion={(data) => ({
        text: 'It gives no right from then on. Its users stay. This cannot be undone.',
        name: nameOfGroup(data),
      })}
    >
      {(data) => (
        <>
          <Members instance={instance} path={below(group.path)`users/`} />
          <Card title="Settings" id="settings">
            <GroupForm instance={instance} item={data} onSend={group.save} />
          </Card>
        </>
      )}
    </ItemScreen>
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
  const link = linkColumn(userType, instance, 'User');
  return (
    <Card title="Members" id="members">
      <LoadedTable
        of={members}
        caption="Members of the group"
        keyOf={({ user }) => user.id}
        empty={<p class="soft">The group has no member.</p>}
        columns={[
          { ...link, cell: ({ user }) => link.cell(user) },
          {
            name: 'Actions',
            isActions: true,
            cell: ({ user }) => (
              <Button
                class="small"
                aria-label={`Remove ${user.username}`}
                onAct={() => remove(user)}
                text="Remove"
              />
            ),
          },
        ]}
      />
      <NewMember instance={instance} onAdd={add} />
    </Card>
  );
}

interface NewMemberProps {
  readonly instance: string;
  readonly onAdd: (user: number) => Promise<void>;
}

function NewMember({ instance, onAdd }: NewMemberProps) {
  const add = async (username: string) => {
    const user = await readUserByName(instance, username);
    if (user === undefined) throw new ApiProblem(0, 'No user has this name.');
    await onAdd(user.id);
  };
  return (
    <DraftForm
      start={{ user: '' }}
      verb="Add to the group"
      onSend={({ user }) => add(user)}
      isEmptied
    >
      {({ text }) => (
        <TextField
          label="Name of the user"
          input={{ ...nameInput, maxLength: 64 }}
          {...text('user')}
        />
      )}
    </DraftForm>
  );
}
