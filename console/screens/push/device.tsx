import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { labelInput } from '../../parts/form.tsx';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { type FormField, RecordForm } from '../../parts/record-form.tsx';
import { Time } from '../../parts/time.tsx';
import { UserLink } from './device-list.tsx';
import { type Device, devicesOf, toService } from './push-data.ts';
import { SendDialog } from './send-dialog.tsx';

const fields: readonly FormField[] = [
  { kind: 'text', name: 'label', label: 'Label', input: labelInput },
  {
    kind: 'check',
    name: 'is_active',
    label: 'Active',
    hint: 'Switched off automatically when the app is removed from the device.',
  },
];

/** A device: its fields, and a message to it. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', device: token = '' } = names;
  const service = toService(names.service);
  const device = useItem<Device>(devicesOf(service), instance, token);
  const [isSending, setSending] = useState(false);
  return (
    <>
      <ItemScreen
        of={device}
        unloadedTitle="Device"
        actions={<Button onAct={() => setSending(true)} text="Send message" />}
        deletion={() => ({
          text: 'It gets no more messages until the app registers it again.',
        })}
      >
        {(data) => (
          <>
            <Facts rows={factsOf(instance, data)} />
            <Card title="Settings" id="fields">
              <RecordForm
                noun="device"
                item={data}
                {...{ instance, fields }}
                onSend={device.save}
              />
            </Card>
          </>
        )}
      </ItemScreen>
      {isSending && device.data !== undefined && (
        <SendDialog
          service={service}
          path={below(device.path)`send_message/`}
          to={device.data}
          onSent={device.reload}
          onClose={() => setSending(false)}
        />
      )}
    </>
  );
}

function factsOf(instance: string, device: Device): Fact[] {
  const { registration_id, user, device_id, created_at } = device;
  const rows: Fact[] = [
    [
      'Token',
      <span key="token" class="mono">
        {registration_id}
      </span>,
    ],
    ['User', <UserLink key="user" instance={instance} user={user} />],
  ];
  if (device_id) rows.push(['Device id', device_id]);
  return [...rows, ['Registered', <Time key="time" value={created_at} />]];
}
