import { useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send } from '../../core/api.ts';
import { attempt, notify } from '../../core/notices.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { AreaField, Form, SelectField, TextField } from '../../parts/form.tsx';
import { DevicePicker } from './device-picker.tsx';
import {
  contentOf,
  type Device,
  environments,
  type MessageText,
  nameOfDevice,
  type PushMessage,
  type PushService,
  sentMessage,
  statusTexts,
} from './push-data.ts';

interface SendDialogProps {
  readonly service: PushService;
  /** Where the message is sent to. */
  readonly path: RequestPath;
  /** The device that gets the message, or the path of those to choose from. */
  readonly to: Device | RequestPath;
  readonly onSent: () => void;
  readonly onClose: () => void;
}

/** Sends a message to devices, and tells when it has been sent. */
export function SendDialog({ service, path, to, onSent, onClose }: SendDialogProps) {
  const [chosen, setChosen] = useState<readonly Device[]>(typeof to === 'string' ? [] : [to]);
  const [text, setText] = useState(newMessage);
  const change = (changes: Partial<MessageText>) => setText({ ...text, ...changes });
  const run = async () => {
    if (chosen.length === 0) throw new ApiProblem(0, 'Choose a device that gets the message.');
    const tokens = chosen.map((each) => each.registration_id);
    const body = { content: contentOf(service, tokens, text) };
    const { id, links } = await send<PushMessage & { readonly links: { readonly self: string } }>({
      method: 'POST',
      path,
      body,
    });
    onClose();
    attempt(async () => {
      const { status } = await sentMessage(checkPath(links.self));
      notify(`Message ${id}: ${statusTexts[status]}.`);
      onSent();
    });
  };
  return (
    <Dialog title="Send a message" onClose={onClose}>
      <Form verb="Send the message" onSend={run} onCancel={onClose}>
        {(errors) => (
          <>
            {typeof to === 'string' ? (
              <DevicePicker path={to} chosen={chosen} onChosen={setChosen} />
            ) : (
              <p>To {nameOfDevice(to)}</p>
            )}
            <SelectField
              label="Credentials"
              value={text.environment}
              onValue={(value) =>
                change({ environment: value === 'production' ? 'production' : 'development' })
              }
              options={environments}
            />
            <TextField
              label="Title"
              value={text.title}
              onValue={(title) => change({ title })}
              input={{ required: true, autocomplete: 'off' }}
            />
            <AreaField
              label="Text"
              value={text.body}
              onValue={(body) => change({ body })}
              error={errors.content}
              rows={3}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

const newMessage: MessageText = { environment: 'development', title: '', body: '' };
