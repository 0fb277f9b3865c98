import { linkColumn } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import type { Paged } from '../../parts/paged.tsx';
import { Time } from '../../parts/time.tsx';
import { deviceScreens, UserLink } from './device.tsx';
import { type Device, devicesOf, type PushService } from './push-data.ts';

interface DeviceListProps {
  readonly instance: string;
  readonly service: PushService;
  readonly devices: Paged<Device>;
}

/** The devices of a service, and a form for another one. */
export function DeviceList({ instance, service, devices }: DeviceListProps) {
  const { Add } = deviceScreens[service];
  return (
    <section aria-labelledby="devices">
      <div class="heading">
        <h2 id="devices">Devices</h2>
        <Add class="small" instance={instance} reload={devices.reload} />
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
    </section>
  );
}
