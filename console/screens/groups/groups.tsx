import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { PageButtons, usePages } from '../../parts/paged.tsx';
import { Table } from '../../parts/table.tsx';
import { type Group, nameOfGroup } from '../users/user-data.ts';
import { GroupForm } from './group-form.tsx';

const pageSize = 50;

/** The groups of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/groups/`;
  const groups = usePages<Group>(path, { page_size: pageSize });
  const create = async (body: Omit<Group, 'id'>) => {
    const { id } = await send<Group>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/groups/${id}`);
  };
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New group
    </button>
  );
  return (
    <ScreenFrame
      title="Groups"
      about="Users who share rights: classes, objects and channels give rights to a group."
      actions={add}
    >
      <LoadedData of={groups}>
        {(objects) =>
          objects.length === 0 ? (
            <Empty>
              <p>There is no group yet.</p>
              {add}
            </Empty>
          ) : (
            <Table
              caption="Groups"
              columns={columnsOf(instance)}
              rows={objects}
              keyOf={({ id }) => id}
            />
          )
        }
      </LoadedData>
      <PageButtons of={groups} />
      {isAdding && (
        <Dialog title="New group" onClose={() => setAdding(false)}>
          <GroupForm verb="Make the group" onSend={create} onCancel={() => setAdding(false)} />
        </Dialog>
      )}
    </ScreenFrame>
  );
}

function columnsOf(instance: string) {
  return [
    {
      name: 'Group',
      cell: (group: Group) => (
        <a href={href(at`/i/${instance}/groups/${group.id}`)}>{nameOfGroup(group)}</a>
      ),
    },
    { name: 'Name', cell: ({ name }: Group) => name !== null && <code>{name}</code> },
    { name: 'Description', cell: ({ description }: Group) => description },
  ];
}
