import type { adminFields } from '../../../functions/instances/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { attempt, notify } from '../../core/notices.ts';
import { itemPath, type RecordType } from '../../core/record-type.ts';
import { refusalOf } from '../../core/roles.ts';
import { leaveTo } from '../../core/router.ts';
import { session } from '../../core/session.ts';
import { Button } from '../../parts/button.tsx';
import { defineList, type ItemsProps } from '../../parts/list-screen.tsx';
import { actionsColumn, type TableColumn } from '../../parts/table.tsx';
import { Invitations } from './invitations.tsx';
import { RoleChoice } from './role-choice.tsx';

/** A member of an instance. */
type Member = ShownRecord<typeof adminFields>;

const memberType: RecordType<Member> = {
  noun: 'admin',
  title: 'Admins',
  path: (instance) => at`instances/${instance}/admins/`,
  place: (instance) => at`/i/${instance}/admins`,
  keyOf: ({ id }) => id,
  nameOf: ({ email }) => email,
};

/** The accounts that may work on an instance, and invitations of others. */
export const Screen = defineList<Member>({
  type: memberType,
  about: 'The accounts that can work on this instance. Users of your app are not admins.',
  columns: columnsOf,
  below: Invitations,
});

function columnsOf({
  instance,
  items,
  reload,
}: ItemsProps<Member>): readonly TableColumn<Member>[] {
  const path = ({ id }: Member) => itemPath(memberType, instance, id);
  const isOwner = ({ id }: Member) => id === items[0]?.id;
  const isSelf = ({ id }: Member) => id === session.value?.id;
  const changeOf = (member: Member) => ({ method: 'PATCH', path: path(member) }) as const;
  const removalOf = (member: Member) => ({ method: 'DELETE', path: path(member) }) as const;
  const change = async (member: Member, role: string) => {
    await send({ ...changeOf(member), body: { role } });
    notify(`${member.email} now has the role ${role}.`);
    reload();
  };
  const remove = async (member: Member) => {
    const title = `Remove ${member.email}`;
    const text = 'The account loses access to this instance. You can invite it again.';
    if (!(await confirm({ title, text, verb: 'Remove' }))) return;
    await send(removalOf(member));
    if (isSelf(member)) leaveTo(at`/`);
    else reload();
  };
  const removal = (member: Member) =>
    !isOwner(member) && (
      <Button
        class="small danger"
        sends={isSelf(member) ? removalOf(member) : changeOf(member)} // each may leave
        onAct={() => remove(member)}
        text="Remove…"
      />
    );
  return [
    { name: 'E-mail', cell: ({ email }) => email },
    { name: 'Name', cell: (each) => `${each.first_name} ${each.last_name}`.trim() },
    {
      name: 'Role',
      cell: (member) =>
        isOwner(member) ? (
          'owner'
        ) : refusalOf(changeOf(member)) !== undefined ? (
          member.role
        ) : (
          <RoleChoice
            label={`Role of ${member.email}`}
            role={member.role}
            onRole={(role) => attempt(() => change(member, role))}
          />
        ),
    },
    ...(items.length === 1 ? [] : [actionsColumn(removal)]),
  ];
}
