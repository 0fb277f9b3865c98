import type { ScreenProps } from '../../core/router.ts';
import { ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { usePages } from '../../parts/paged.tsx';
import { type Group, groupType } from '../users/user-data.ts';
import { GroupForm } from './group-form.tsx';

const pageSize = 50;

/** The groups of an instance, and a form for another one. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  return (
    <ListScreen
      of={groupType}
      instance={instance}
      list={usePages<Group>(groupType.path(instance), { page_size: pageSize })}
      about="Users who share rights: classes, objects and channels give rights to a group."
      empty="There is no group yet."
      form={GroupForm}
      columns={[
        linkColumn(groupType, instance, 'Group'),
        { name: 'Name', cell: ({ name }) => name !== null && <code>{name}</code> },
        { name: 'Description', cell: ({ description }) => description },
      ]}
    />
  );
}
