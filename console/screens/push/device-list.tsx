import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { itemPlace } from '../../core/record-type.ts';
import { href, navigate } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { labelInput, nameInput } from '../../parts/form.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import type { Paged } from '../../parts/paged.tsx';
import { RecordForm } from '../../parts/record-form.tsx';
import { Time } from '../../parts/time.tsx';
import { type Device, devicesOf, type PushService } from './push-data.ts';

interface DeviceScope {
  readonly instance: string;
  readonly service: PushService;
}

interface DeviceListProps extends DeviceScope {
  readonly devices: Paged<Device>;
}

/** The devices of a service, and a form for another one. */
export function DeviceList({ instance, service, devices }: DeviceListProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <section aria-labelledby="devices">
      <div class="heading">
        <h2 id="devices">Devices</h2>
        <Button class="small" onAct={() => setAdding(true)} text="New device" />
      </div>
      <LoadedTable
        of={devices}
        caption="Devices of your users"
        keyOf={({ registration_id }) => registration_id}
        empty={<Empty>No devices yet. Your app registers each phone with its token.</Empty>}
        columns={[
          linkColumn(devicesOf(service), instance, 'Device'),
          { name: 'User', cell: ({ user }) => <UserLink instance={instance} user={user} /> },
          { name: 'Active', cell: ({ is_active }) => (is_active ? 'Yes' : 'No') },
          { name: 'Registered', cell: ({ created_at }) => <Time value={created_at} /> },
        ]}
      />
      {isAdding && <NewDevice {...{ instance, service }} onClose={() => setAdding(false)} />}
    </section>
  );
}

interface UserLinkProps {
  readonly instance: string;
  readonly user: number | null;
}

/** The user of a device. */
export function UserLink({ instance, user }: UserLinkProps) {
  if (user === null) return <span class="soft">None</span>;
  return <a href={href(at`/i/${instance}/users/${user}`)}>User {user}</a>;
}

interface NewDeviceProps extends DeviceScope {
  readonly onClose: () => void;
}

function NewDevice({ instance, service, onClose }: NewDeviceProps) {
  const devices = devicesOf(service);
  const create = async (body: object) => {
    const path = devices.path(instance);
    const made = await send<Device>({ method: 'POST', path, body });
    navigate(itemPlace(devices, instance, made));
  };
  return (
    <Dialog title="New device" onClose={onClose}>
      <RecordForm
        noun="device"
        instance={instance}
        fields={[
          {
            kind: 'text',
            name: 'registration_id',
            label: 'Token',
            hint: tokenHints[service],
            input: { ...nameInput, maxLength: 512 },
          },
          { kind: 'text', name: 'label', label: 'Label', input: labelInput },
          {
            kind: 'number',
            name: 'user',
            label: 'User id',
            hint: 'Empty: the device has no user.',
            input: { type: 'number', min: 1, step: 1 },
          },
        ]}
        onSend={create}
        onCancel={onClose}
      />
    </Dialog>
  );
}

const tokenHints: Readonly<Record<PushService, string>> = {
  gcm: 'The app gets it from Firebase: letters, digits and _ | : -',
  apns: 'The app gets it from iOS: 64 hexadecimal digits or more.',
};
