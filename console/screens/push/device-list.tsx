import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { href, navigate } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { PageButtons, type Paged } from '../../parts/paged.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { LabelField } from './label-field.tsx';
import { type Device, nameOfDevice, type PushService } from './push-data.ts';

interface DeviceListProps {
  readonly instance: string;
  readonly service: PushService;
  readonly base: RequestPath;
  readonly devices: Paged<Device>;
}

/** The devices of a service, and a form for another one. */
export function DeviceList({ devices, ...scope }: DeviceListProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <section aria-labelledby="devices">
      <div class="heading">
        <h2 id="devices">Devices</h2>
        <button type="button" class="small" onClick={() => setAdding(true)}>
          New device
        </button>
      </div>
      <LoadedData of={devices}>
        {(objects) =>
          objects.length === 0 ? (
            <Empty>No device yet. Your app registers each phone with the token of the phone.</Empty>
          ) : (
            <Table
              caption="Devices of your users"
              columns={columnsOf(scope)}
              rows={objects}
              keyOf={({ registration_id }) => registration_id}
            />
          )
        }
      </LoadedData>
      <PageButtons of={devices} />
      {isAdding && <NewDevice {...scope} onClose={() => setAdding(false)} />}
    </section>
  );
}

type DeviceListScope = Omit<DeviceListProps, 'devices'>;

function columnsOf({ instance, service }: DeviceListScope): readonly TableColumn<Device>[] {
  return [
    {
      name: 'Device',
      cell: (device) => (
        <a href={href(at`/i/${instance}/push/${service}/${device.registration_id}`)}>
          {nameOfDevice(device)}
        </a>
      ),
    },
    { name: 'User', cell: ({ user }) => <UserLink instance={instance} user={user} /> },
    { name: 'Takes messages', cell: ({ is_active }) => (is_active ? 'yes' : 'no') },
    { name: 'Registered', cell: ({ created_at }) => <Time value={created_at} /> },
  ];
}

interface UserLinkProps {
  readonly instance: string;
  readonly user: number | null;
}

/** The user of a device. */
export function UserLink({ instance, user }: UserLinkProps) {
  if (user === null) return <span class="soft">none</span>;
  return <a href={href(at`/i/${instance}/users/${user}`)}>User {user}</a>;
}

function NewDevice({
  instance,
  service,
  base,
  onClose,
}: DeviceListScope & { onClose: () => void }) {
  const [token, setToken] = useState('');
  const [label, setLabel] = useState('');
  const [user, setUser] = useState('');
  const create = async () => {
    const body = { registration_id: token, label, user: user === '' ? null : Number(user) };
    const made = await send<Device>({ method: 'POST', path: below(base)`devices/`, body });
    navigate(at`/i/${instance}/push/${service}/${made.registration_id}`);
  };
  return (
    <Dialog title="New device" onClose={onClose}>
      <Form verb="Register the device" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Token"
              hint={tokenHints[service]}
              value={token}
              onValue={setToken}
              error={errors.registration_id}
              input={{ required: true, autocomplete: 'off', spellcheck: false, maxLength: 512 }}
            />
            <LabelField value={label} onValue={setLabel} errors={errors} />
            <TextField
              label="Id of its user"
              hint="Empty: the device belongs to nobody."
              value={user}
              onValue={setUser}
              error={errors.user}
              input={{ type: 'number', min: 1, step: 1 }}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

const tokenHints: Readonly<Record<PushService, string>> = {
  gcm: 'The app gets it from Firebase: letters, digits and _ | : -',
  apns: 'The app gets it from iOS: 64 hexadecimal digits or more.',
};
