import type { adminFields } from '../../../functions/instances/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useList } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { Invitations } from './invitations.tsx';
import { RoleChoice } from './role-choice.tsx';

/** A member of an instance. */
type Member = ShownRecord<typeof adminFields>;

/** The accounts that may work on an instance, and invitations of others. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const list = at`instances/${instance}/admins/`;
  const members = useList<Member>(list);
  const isOwner = ({ id }: Member) => id === members.data?.[0]?.id;
  const change = async ({ id, email }: Member, role: string) => {
    await send({ method: 'PATCH', path: below(list)`${id}/`, body: { role } });
    notify(`${email} now has the role ${role}.`);
    members.reload();
  };
  const remove = async ({ id, email }: Member) => {
    const isSure = await confirm({
      title: `Remove ${email}`,
      text: 'The account loses access to this instance. You can invite it again.',
      verb: 'Remove',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path: below(list)`${id}/` });
    members.reload();
  };
  return (
    <ScreenFrame
      title="Admins"
      about="The accounts that can work on this instance. Users of your app are not admins."
    >
      <LoadedTable
        of={members}
        caption="Admins"
        keyOf={({ id }) => id}
        columns={[
          { name: 'E-mail', cell: ({ email }) => email },
          { name: 'Name', cell: (each) => `${each.first_name} ${each.last_name}`.trim() },
          {
            name: 'Role',
            cell: (member) =>
              isOwner(member) ? (
                'owner'
              ) : (
                <RoleChoice
                  label={`Role of ${member.email}`}
                  role={member.role}
                  onRole={(role) => attempt(() => change(member, role))}
                />
              ),
          },
          actionsColumn(
            (member: Member) =>
              !isOwner(member) && (
                <Button class="small danger" onAct={() => remove(member)} text="Remove…" />
              ),
          ),
        ]}
      />
      <Invitations instance={instance} />
    </ScreenFrame>
  );
}
