import { at } from '../../../shared/values/text/request-path.ts';
import { useList } from '../../core/load.ts';
import { nameHints, nameLengths } from '../../core/name-hints.ts';
import type { RecordType } from '../../core/record-type.ts';
import { href } from '../../core/router.ts';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { DescriptionField, nameInput, TextField } from '../../parts/form.tsx';
import { type ItemsProps, ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
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

/** The instances of the account, and a form for another one. */
export function Screen() {
  const backups = href(at`/backups`);
  return (
    <ListScreen
      of={instanceType}
      list={useList<InstanceRecord>(at`instances/`)}
      about="An instance holds the data, code and users of one app."
      actions={
        <a class="button" href={backups}>
          Backups
        </a>
      }
      empty={(add) => (
        <Empty>
          <p>You have no instance yet.</p>
          {add}
          <p>
            A deleted one comes back from <a href={backups}>a backup of yours</a>.
          </p>
        </Empty>
      )}
      form={NewInstance}
      table={InstanceTable}
    />
  );
}

function InstanceTable({ items }: ItemsProps<InstanceRecord>) {
  return <Table caption="Instances" columns={columns} rows={items} keyOf={instanceType.keyOf} />;
}

const columns: TableColumn<InstanceRecord>[] = [
  linkColumn(instanceType, ''),
  { name: 'Description', cell: ({ description }) => description },
  { name: 'Your role', cell: ({ role }) => role },
  { name: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
];

function NewInstance({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ name: '', description: '' }}
      verb="Create the instance"
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
