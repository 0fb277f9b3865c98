import { useState } from 'preact/hooks';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { ScreenFrame } from '../../parts/page.tsx';
import { usePages } from '../../parts/paged.tsx';
import { Credentials } from './credentials.tsx';
import { DeviceList } from './device-list.tsx';
import { MessageList } from './message-list.tsx';
import {
  type Device,
  type PushMessage,
  type PushService,
  serviceNames,
  servicePath,
  toService,
} from './push-data.ts';
import { SendDialog } from './send-dialog.tsx';

/** Push notifications through one service: credentials, devices and messages. The service is in the path. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const service = toService(names.service);
  return (
    <ScreenFrame
      title="Push"
      about="Notifications that reach a phone while your app is closed, sent by Google and Apple."
      tabs={Object.entries(serviceNames).map(([each, text]) => ({
        text,
        href: href(at`/i/${instance}/push/${each}`),
        isCurrent: each === service,
      }))}
    >
      <ServiceView key={service} instance={instance} service={service} />
    </ScreenFrame>
  );
}

interface ServiceViewProps {
  readonly instance: string;
  readonly service: PushService;
}

function ServiceView({ instance, service }: ServiceViewProps) {
  const base = servicePath(instance, service);
  const [isSending, setSending] = useState(false);
  const devices = usePages<Device>(below(base)`devices/`, { page_size: 20 });
  const messages = usePages<PushMessage>(below(base)`messages/`, { page_size: 20 });
  return (
    <>
      <Credentials service={service} base={base} />
      <DeviceList {...{ instance, service, devices }} />
      <MessageList
        messages={messages}
        sends={{ method: 'POST', path: below(base)`messages/` }}
        onSend={() => setSending(true)}
      />
      {isSending && (
        <SendDialog
          service={service}
          path={below(base)`messages/`}
          to={below(base)`devices/`}
          onSent={messages.reload}
          onClose={() => setSending(false)}
        />
      )}
    </>
  );
}
