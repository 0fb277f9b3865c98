import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { CheckField, Form } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { UserLink } from './device-list.tsx';
import { LabelField } from './label-field.tsx';
import { type Device, nameOfDevice, serviceNames, servicePath, toService } from './push-data.ts';
import { SendDialog } from './send-dialog.tsx';

/** A device: its fields, and a message to it. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', device: token = '' } = names;
  const service = toService(names.service);
  const path = below(servicePath(instance, service))`devices/${token}/`;
  const list = at`/i/${instance}/push/${service}`;
  const [isSending, setSending] = useState(false);
  const device = useLoad<Device>((signal) => send({ method: 'GET', path, signal }), [path]);
  const remove = async (data: Device) => {
    const isSure = await confirm({
      title: `Delete the device ${nameOfDevice(data)}`,
      text: 'Its user gets no more messages on it, until the app registers it again.',
      verb: 'Delete the device',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The device is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={device.data === undefined ? 'Device' : nameOfDevice(device.data)}
      above={[{ text: serviceNames[service], href: href(list) }]}
      actions={
        device.data !== undefined && (
          <>
            <button type="button" onClick={() => setSending(true)}>
              Send a message
            </button>
            <DangerButton of={device} onAct={remove} />
          </>
        )
      }
    >
      <LoadedData of={device}>
        {(data) => (
          <>
            <Facts instance={instance} device={data} />
            <Fields path={path} device={data} onChange={device.setData} />
          </>
        )}
      </LoadedData>
      {isSending && device.data !== undefined && (
        <SendDialog
          service={service}
          path={below(path)`send_message/`}
          to={device.data}
          onSent={device.reload}
          onClose={() => setSending(false)}
        />
      )}
    </ScreenFrame>
  );
}

interface FactsProps {
  readonly instance: string;
  readonly device: Device;
}

function Facts({ instance, device }: FactsProps) {
  return (
    <dl class="facts">
      <dt>Token</dt>
      <dd class="mono">{device.registration_id}</dd>
      <dt>User</dt>
      <dd>
        <UserLink instance={instance} user={device.user} />
      </dd>
      {device.device_id !== null && device.device_id !== '' && (
        <>
          <dt>Device id</dt>
          <dd>{device.device_id}</dd>
        </>
      )}
      <dt>Registered</dt>
      <dd>
        <Time value={device.created_at} />
      </dd>
    </dl>
  );
}

interface FieldsProps {
  readonly path: RequestPath;
  readonly device: Device;
  readonly onChange: (device: Device) => void;
}

function Fields({ path, device, onChange }: FieldsProps) {
  const [label, setLabel] = useState(device.label);
  const [isActive, setActive] = useState(device.is_active);
  const save = async () => {
    const body = { label, is_active: isActive };
    onChange(await send<Device>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  return (
    <section class="card" aria-labelledby="fields">
      <h2 id="fields">Settings</h2>
      <Form verb="Save" onSend={save}>
        {(errors) => (
          <>
            <LabelField value={label} onValue={setLabel} errors={errors} />
            <CheckField
              label="Takes messages"
              hint="It ends by itself when the service says that the app was removed from the device."
              isChecked={isActive}
              onChecked={setActive}
              error={errors.is_active}
            />
          </>
        )}
      </Form>
    </section>
  );
}
