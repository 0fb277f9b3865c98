import { useState } from 'preact/hooks';
import type { RequestPath } from '../../../shared/values/text/request-path.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { PageButtons, usePages } from '../../parts/paged.tsx';
import { type Device, nameOfDevice } from './push-data.ts';

interface DevicePickerProps {
  /** Of the devices of a service. */
  readonly path: RequestPath;
  readonly chosen: readonly Device[];
  readonly onChosen: (devices: readonly Device[]) => void;
}

/** Chooses devices among all of a service, page by page; those of other pages stay chosen. */
export function DevicePicker({ path, chosen, onChosen }: DevicePickerProps) {
  const [user, setUser] = useState('');
  const [isActiveOnly, setActiveOnly] = useState(true);
  const devices = usePages<Device>(path, {
    page_size: 20,
    user: /^[1-9]\d*$/.test(user) ? user : undefined,
    is_active: isActiveOnly ? 'true' : undefined,
  });
  const without = (gone: readonly Device[]) =>
    chosen.filter((each) => !gone.some((other) => isSame(each, other)));
  return (
    <fieldset>
      <legend>Devices</legend>
      <TextField
        label="User id"
        hint="Leave empty for all devices."
        value={user}
        onValue={setUser}
        input={{ type: 'number', min: 1, step: 1 }}
      />
      <CheckField label="Only active devices" isChecked={isActiveOnly} onChecked={setActiveOnly} />
      <LoadedData of={devices}>
        {(objects) => (
          <>
            {objects.length === 0 && <p class="soft">No device found.</p>}
            {objects.map((device) => (
              <CheckField
                key={device.registration_id}
                label={nameOfDevice(device)}
                isChecked={chosen.some((each) => isSame(each, device))}
                onChecked={(isOn) => onChosen([...without([device]), ...(isOn ? [device] : [])])}
              />
            ))}
            {objects.length > 1 && (
              <Button
                class="small"
                onAct={() => onChosen([...without(objects), ...objects])}
                text="Select all on this page"
              />
            )}
          </>
        )}
      </LoadedData>
      <PageButtons of={devices} />
      <p class="actions">
        <span role="status">Chosen: {chosen.length}</span>
        {chosen.length > 0 && (
          <Button class="small" onAct={() => onChosen([])} text="Clear selection" />
        )}
      </p>
    </fieldset>
  );
}

function isSame(one: Device, other: Device): boolean {
  return one.registration_id === other.registration_id;
}
