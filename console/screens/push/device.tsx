import { useState } from 'preact/hooks';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { labelInput, nameInput } from '../../parts/form.tsx';
import { defineItem, type ItemPartProps } from '../../parts/item-screen.tsx';
import { defineAddButton } from '../../parts/list-screen.tsx';
import type { FormDefinition } from '../../parts/record-form.tsx';
import { Time } from '../../parts/time.tsx';
import { type Device, devicesOf, type PushService, toService } from './push-data.ts';
import { SendDialog } from './send-dialog.tsx';

/** A device: its fields, and a message to it. */
export function Screen(props: ScreenProps) {
  const { One } = deviceScreens[toService(props.names.service)];
  return <One {...props} />;
}

/** The screen of a device of each service, and the button for a new one. */
export const deviceScreens = {
  gcm: define('gcm', 'The app gets it from Firebase: letters, digits and _ | : -'),
  apns: define('apns', 'The app gets it from iOS: 64 hexadecimal digits or more.'),
};

function define(service: PushService, tokenHint: string) {
  const type = devicesOf(service);
  const form: FormDefinition<Device> = [
    {
      kind: 'text',
      name: 'registration_id',
      label: 'Token',
      hint: tokenHint,
      input: { ...nameInput, maxLength: 512 },
      isForNew: true,
    },
    { kind: 'text', name: 'label', label: 'Label', input: labelInput },
    {
      kind: 'number',
      name: 'user',
      label: 'User id',
      hint: 'Leave empty for a device without a user.',
      input: { type: 'number', min: 1, step: 1 },
      isForNew: true,
    },
    {
      kind: 'check',
      name: 'is_active',
      label: 'Active',
      hint: 'Switched off automatically when the app is removed from the device.',
      isForNew: false,
    },
  ];
  const One = defineItem<Device>({
    type,
    unloadedTitle: 'Device',
    actions: (props) => <SendButton service={service} {...props} />,
    remove: () => 'It gets no more messages until the app registers it again.',
    before: DeviceFacts,
    form,
  });
  return { One, Add: defineAddButton<Device>({ type, form }) };
}

interface SendButtonProps extends ItemPartProps<Device> {
  readonly service: PushService;
}

function SendButton({ of, item, service }: SendButtonProps) {
  const [isSending, setSending] = useState(false);
  return (
    <>
      <Button
        sends={{ method: 'POST', path: below(of.path)`send_message/` }}
        onAct={() => setSending(true)}
        text="Send message"
      />
      {isSending && (
        <SendDialog
          service={service}
          path={below(of.path)`send_message/`}
          to={item}
          onSent={of.reload}
          onClose={() => setSending(false)}
        />
      )}
    </>
  );
}

function DeviceFacts({ of: { instance }, item }: ItemPartProps<Device>) {
  const { registration_id, user, device_id, created_at } = item;
  const token = <span class="mono">{registration_id}</span>;
  const rows: Fact[] = [
    ['Token', token],
    ['User', <UserLink key="user" instance={instance} user={user} />],
  ];
  if (device_id) rows.push(['Device id', device_id]);
  rows.push(['Registered', <Time key="time" value={created_at} />]);
  return <Facts rows={rows} />;
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
