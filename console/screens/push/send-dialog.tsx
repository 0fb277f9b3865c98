import { useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send } from '../../core/api.ts';
import { attempt, notify } from '../../core/notices.ts';
import { FormDialog } from '../../parts/draft-form.tsx';
import { AreaField, SelectField, TextField } from '../../parts/form.tsx';
import { LeavesNote } from '../../parts/leaves-note.tsx';
import { DevicePicker } from './device-picker.tsx';
import {
  contentOf,
  type Device,
  environments,
  type MessageText,
  messageStatus,
  nameOfDevice,
  type PushMessage,
  type PushService,
  sentMessage,
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

/** Sends a message to devices, and says when it has been sent. */
export function SendDialog({ service, path, to, onSent, onClose }: SendDialogProps) {
  const [chosen, setChosen] = useState<readonly Device[]>(typeof to === 'string' ? [] : [to]);
  const run = async (text: MessageText) => {
    if (chosen.length === 0) throw new ApiProblem(0, 'Choose at least one device.');
    const tokens = chosen.map((each) => each.registration_id);
    const body = { content: contentOf(service, tokens, text) };
    const { id, links } = await send<PushMessage & { readonly links: { readonly self: string } }>({
      method: 'POST',
      path,
      body,
    });
    onClose();
    attempt(async () => {
      const sent = await sentMessage(checkPath(links.self));
      notify(`Message ${id}: ${messageStatus(sent)}.`);
      onSent();
    });
  };
  return (
    <FormDialog
      title="Send message"
      start={newMessage}
      verb="Send message"
      onSend={run}
      onClose={onClose}
    >
      {({ text, errors }) => (
        <>
          {typeof to === 'string' ? (
            <DevicePicker path={to} chosen={chosen} onChosen={setChosen} />
          ) : (
            <p>To {nameOfDevice(to)}</p>
          )}
          <LeavesNote of="push" />
          <SelectField label="Credentials" options={environments} {...text('environment')} />
          <TextField
            label="Title"
            input={{ required: true, autocomplete: 'off' }}
            {...text('title')}
          />
          <AreaField label="Text" rows={3} {...text('body')} error={errors.content} />
        </>
      )}
    </FormDialog>
  );
}

const newMessage: MessageText = { environment: 'development', title: '', body: '' };
