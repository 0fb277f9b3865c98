import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { href, navigate } from '../../core/router.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { InstanceRecord } from '../operation/operation-data.ts';

/** The instances of the account, and a form for another one. */
export function Screen() {
  const [isAdding, setAdding] = useState(false);
  const instances = useLoad(() => readAll<InstanceRecord>(at`instances/`), []);
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New instance
    </button>
  );
  return (
    <ScreenFrame
      title="Your instances"
      about="An instance holds the data, code and users of one app."
      actions={
        <>
          <a class="button" href={href(at`/backups`)}>
            Backups
          </a>
          {add}
        </>
      }
    >
      <LoadedData of={instances}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>You have no instance yet.</p>
              {add}
              <p>
                A deleted one comes back from <a href={href(at`/backups`)}>a backup of yours</a>.
              </p>
            </Empty>
          ) : (
            <Table caption="Instances" columns={columns} rows={all} keyOf={({ name }) => name} />
          )
        }
      </LoadedData>
      {isAdding && <NewInstance onClose={() => setAdding(false)} />}
    </ScreenFrame>
  );
}

const columns = [
  {
    name: 'Name',
    cell: ({ name }: InstanceRecord) => <a href={href(at`/i/${name}`)}>{name}</a>,
  },
  { name: 'Description', cell: ({ description }: InstanceRecord) => description },
  { name: 'Your role', cell: ({ role }: InstanceRecord) => role },
  { name: 'Created', cell: ({ created_at }: InstanceRecord) => <Time value={created_at} /> },
];

function NewInstance({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = async () => {
    await send({ method: 'POST', path: at`instances/`, body: { name, description } });
    navigate(at`/i/${name}`);
  };
  return (
    <Dialog title="New instance" onClose={onClose}>
      <Form verb="Create the instance" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Name"
              hint="Lower-case letters, digits, - and _. It is part of every address."
              value={name}
              onValue={setName}
              error={errors.name}
              input={{ required: true, autocomplete: 'off', spellcheck: false }}
            />
            <DescriptionField
              value={description}
              onValue={setDescription}
              error={errors.description}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
