import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { defineScreen } from '../../parts/define-screen.tsx';
import { labelInput } from '../../parts/form.tsx';
import { nameOfGroup } from '../../parts/group-choice.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { usePages } from '../../parts/paged.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { TargetPicker } from '../objects/edit/target-picker.tsx';
import { type Group, groupType, type User, userType } from '../users/user-data.ts';

const pageSize = 50;

/** The groups of users of an instance. */
export const Screen = defineScreen<Group>({
  type: groupType,
  about: 'Classes, objects and channels can give rights to a group of users.',
  empty: 'No groups yet. Create one to give several users the same rights.',
  pageSize,
  columns: ({ instance }) => [
    linkColumn(groupType, instance, 'Group'),
    { name: 'Name', cell: ({ name }) => name !== null && <code>{name}</code> },
    { name: 'Description', cell: ({ description }) => description },
  ],
  form: [
    { kind: 'text', name: 'label', label: 'Label', input: { ...labelInput, maxLength: 64 } },
    {
      kind: 'optional',
      name: 'name',
      label: 'Name for scripts and apps',
      hint: 'Optional. Lower-case letters, digits, - and _; starts with a letter, up to 64 characters.',
      input: { ...labelInput, spellcheck: false, maxLength: 64 },
    },
    { kind: 'lines', name: 'description', label: 'Description' },
  ],
  remove: (group) => ({
    text: 'Its members lose the rights that they have through it. This cannot be undone.',
    name: nameOfGroup(group),
  }),
  before: Members,
});

interface Member {
  readonly user: User;
}

function Members({ of: { instance, path: group } }: ItemPartProps<Group>) {
  const path = below(group)`users/`;
  const members = usePages<Member>(path, { page_size: pageSize });
  const [isAdding, setAdding] = useState(false);
  const add = async (user: number) => {
    await send({ method: 'POST', path, body: { user } });
    members.reload();
  };
  const remove = async ({ id, username }: User) => {
    await send({ method: 'DELETE', path: below(path)`${id}/` });
    members.reload();
    notify(`${username} removed.`, () => add(id));
  };
  const link = linkColumn(userType, instance, 'User');
  return (
    <Card title="Members" id="members">
      <LoadedTable
        of={members}
        caption="Members of the group"
        keyOf={({ user }) => user.id}
        empty={<p class="soft">No members yet.</p>}
        columns={[
          { ...link, cell: ({ user }) => link.cell(user) },
          actionsColumn(({ user }: Member) => (
            <Button
              class="small"
              sends={{ method: 'DELETE', path: below(path)`${user.id}/` }}
              aria-label={`Remove ${user.username}`}
              onAct={() => remove(user)}
              text="Remove"
            />
          )),
        ]}
      />
      <Button
        class="main"
        sends={{ method: 'POST', path }}
        onAct={() => setAdding(true)}
        text="Add user…"
      />
      {isAdding && (
        <TargetPicker
          title="Add a user to the group"
          instance={instance}
          className={undefined}
          onPick={(user) => {
            setAdding(false); // a second press would add the user again
            return add(user);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  );
}
