import { useState } from 'preact/hooks';
import { send } from '../../core/api.ts';
import { attempt, notify } from '../../core/notices.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { AreaField, CheckField, Form, SelectField, TextField } from '../../parts/form.tsx';
import {
  contentOf,
  type Device,
  environments,
  type Message,
  type MessageText,
  nameOfDevice,
  type Service,
  sentMessage,
  statusTexts,
} from './push-data.ts';

interface SendDialogProps {
  readonly service: Service;
  /** Where the message is sent to. */
  readonly path: string;
  /** Devices to choose from; a single one is chosen. */
  readonly devices: readonly Device[];
  readonly onSent: () => void;
  readonly onClose: () => void;
}

/** Sends a message to devices, and tells when it has been sent. */
export function SendDialog({ service, path, devices, onSent, onClose }: SendDialogProps) {
  const [tokens, setTokens] = useState(devices.slice(0, 1).map((each) => each.registration_id));
  const [text, setText] = useState(newMessage);
  const change = (changes: Partial<MessageText>) => setText({ ...text, ...changes });
  const run = async () => {
    const body = { content: contentOf(service, tokens, text) };
    const { id, links } = await send<Message & { readonly links: { readonly self: string } }>({
      method: 'POST',
      path,
      body,
    });
    onClose();
    attempt(async () => {
      const { status } = await sentMessage(links.self);
      notify(`Message ${id}: ${statusTexts[status]}.`);
      onSent();
    });
  };
  return (
    <Dialog title="Send a message" onClose={onClose}>
      <Form verb="Send the message" onSend={run} onCancel={onClose}>
        {(errors) => (
          <>
            <Recipients {...{ devices, tokens, setTokens }} />
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

interface RecipientsProps {
  readonly devices: readonly Device[];
  readonly tokens: readonly string[];
  readonly setTokens: (tokens: string[]) => void;
}

function Recipients({ devices, tokens, setTokens }: RecipientsProps) {
  if (devices.length === 0) return <p role="alert">There is no device to send to.</p>;
  return (
    <fieldset>
      <legend>Devices</legend>
      {devices.map((device) => {
        const { registration_id: token } = device;
        return (
          <CheckField
            key={token}
            label={nameOfDevice(device)}
            isChecked={tokens.includes(token)}
            isDisabled={devices.length === 1}
            onChecked={(isChecked) => {
              const others = tokens.filter((each) => each !== token);
              setTokens(isChecked ? [...others, token] : others);
            }}
          />
        );
      })}
    </fieldset>
  );
}
