import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useList } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { SentRequest } from '../../core/roles.ts';
import { href } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Form, SelectField } from '../../parts/form.tsx';
import { nameOfGroup } from '../../parts/group-choice.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { actionsColumn, Table } from '../../parts/table.tsx';
import { type Group, groupType, type User } from './user-data.ts';

/** The groups of a user, to leave and to join. */
export function UserGroups({ of, item: { groups } }: ItemPartProps<User>) {
  const { instance, path, reload } = of;
  const all = useList<Group>(groupType.path(instance));
  const joins = { method: 'POST', path: below(path)`groups/` } as const;
  const removalOf = ({ id }: Group) =>
    ({ method: 'DELETE', path: below(joins.path)`${id}/` }) as const;
  const join = async (group: number) => {
    await send({ ...joins, body: { group } });
    reload();
  };
  const leave = async (group: Group) => {
    await send(removalOf(group));
    reload();
    notify(`Removed from ${nameOfGroup(group)}.`, () => join(group.id));
  };
  return (
    <Card title="Groups" id="groups">
      {groups.length === 0 ? (
        <p class="soft">Not in a group.</p>
      ) : (
        <Table
          caption="Groups of the user"
          rows={groups}
          keyOf={groupType.keyOf}
          columns={[
            linkColumn(groupType, instance, 'Group'),
            actionsColumn((group: Group) => (
              <Button
                class="small"
                sends={removalOf(group)}
                aria-label={`Remove from ${nameOfGroup(group)}`}
                onAct={() => leave(group)}
                text="Remove"
              />
            )),
          ]}
        />
      )}
      <LoadedData of={all}>
        {(every) => (
          <Join
            instance={instance}
            groups={every.filter(({ id }) => !groups.some((own) => own.id === id))}
            sends={joins}
            onJoin={join}
          />
        )}
      </LoadedData>
    </Card>
  );
}

interface JoinProps {
  readonly instance: string;
  /** Those that the user is not in. */
  readonly groups: readonly Group[];
  readonly sends: SentRequest;
  readonly onJoin: (group: number) => Promise<void>;
}

function Join({ instance, groups, sends, onJoin }: JoinProps) {
  const [chosen, setChosen] = useState('');
  if (groups.length === 0) {
    return (
      <p>
        No other group to join. <a href={href(groupType.place(instance))}>Show all groups</a>
      </p>
    );
  }
  const group = groups.some(({ id }) => String(id) === chosen) ? chosen : String(groups[0]?.id);
  return (
    <Form verb="Add to group" sends={sends} onSend={() => onJoin(Number(group))}>
      {(errors) => (
        <SelectField
          label="Another group"
          value={group}
          onValue={setChosen}
          error={errors.group}
          options={groups.map((each) => [String(each.id), nameOfGroup(each)])}
        />
      )}
    </Form>
  );
}
