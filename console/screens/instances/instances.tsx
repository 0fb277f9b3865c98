import { at } from '../../../shared/values/text/request-path.ts';
import { nameHints, nameLengths } from '../../core/name-hints.ts';
import { itemPlace, type RecordType } from '../../core/record-type.ts';
import { roleOf } from '../../core/roles.ts';
import { href } from '../../core/router.ts';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { DescriptionField, nameInput, TextField } from '../../parts/form.tsx';
import { defineList, type ItemsProps } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import type { InstanceRecord } from '../operation/operation-data.ts';

const instanceType: RecordType<InstanceRecord> = {
  noun: 'instance',
  title: 'Your instances',
  path: () => at`instances/`,
  place: () => at`/i`,
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
};

const backups = href(at`/backups`);

/** The instances of the account. */
export const Screen = defineList<InstanceRecord>({
  type: instanceType,
  about: 'An instance holds the data, code and users of one app.',
  actions: (
    <a class="button" href={backups}>
      Backups
    </a>
  ),
  empty: (add) => (
    <Empty>
      <p>Create an instance for your first app, then its classes.</p>
      {add}
      <p>
        You can restore a deleted instance from <a href={backups}>one of your backups</a>.
      </p>
    </Empty>
  ),
  form: NewInstance,
  table: InstanceCards,
});

function InstanceCards({ items }: ItemsProps<InstanceRecord>) {
  return (
    <ul class="plain tiles wide">
      {items.map((item) => (
        <li key={item.name}>
          <a class="tile" href={href(itemPlace(instanceType, '', item))}>
            <span class="letter" aria-hidden="true">
              {item.name[0]}
            </span>
            <strong>{item.name}</strong>
            <span>
              {item.description}
              <span class="hint">
                {roleOf(item)} · created <Time value={item.created_at} />
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function NewInstance({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ name: '', description: '' }}
      verb="Create"
      onSend={onSend}
      onCancel={onCancel}
    >
      {({ text }) => (
        <>
          <TextField
            label="Name"
            hint={nameHints.instance}
            input={{ ...nameInput, maxLength: nameLengths.instance.maxLength }}
            {...text('name')}
          />
          <DescriptionField {...text('description')} />
        </>
      )}
    </DraftForm>
  );
}
