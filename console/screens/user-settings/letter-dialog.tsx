import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { ErrorText } from '../../parts/field-messages.tsx';
import { AreaField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import {
  type LetterName,
  letters,
  type OwnLetter,
  userSettingsPath,
} from './user-settings-data.ts';

interface LetterDialogProps {
  readonly instance: string;
  readonly name: LetterName;
  /** Undefined: it has the text of the server. */
  readonly letter: OwnLetter | undefined;
  readonly onSave: (letter: OwnLetter) => Promise<void>;
  readonly onClose: () => void;
}

/** The text of a letter, with a preview. */
export function LetterDialog({ instance, name, letter, onSave, onClose }: LetterDialogProps) {
  const { title } = letters[name];
  const variables: readonly string[] = letters[name].variables;
  const [start] = useState<OwnLetter>(letter ?? { subject: '', text: '' });
  const hasLink = variables.includes('link');
  const all = ['app', 'email', ...variables].map((each) => `{{ ${each} }}`).join(', ');
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <DraftForm start={start} verb="Save" onSend={onSave} onCancel={onClose}>
        {({ values, text, errors }) => (
          <>
            <TextField
              label="Subject"
              hint="A template, with {{ app }} and {{ minutes }}."
              input={{ required: true, maxLength: 150, autocomplete: 'off' }}
              {...text('subject')}
            />
            <AreaField
              label="Text"
              hint={`A template, with ${all}. An empty line starts a paragraph.${hasLink ? ' The link follows below the text.' : ''}`}
              rows={8}
              {...text('text')}
            />
            <ErrorText>{errors.mails}</ErrorText>
            <LetterPreview instance={instance} name={name} letter={values} />
          </>
        )}
      </DraftForm>
    </Dialog>
  );
}

interface LetterPreviewProps {
  readonly instance: string;
  readonly name: LetterName;
  readonly letter: OwnLetter;
}

/** The mail as it would be sent, with sample values; first as it is now. */
function LetterPreview({ instance, name, letter }: LetterPreviewProps) {
  const [asked, setAsked] = useState(letter);
  const path = below(userSettingsPath(instance))`preview/`;
  const body = { letter: name, ...asked };
  const mail = useLoad<OwnLetter>(
    (signal) => send({ method: 'POST', path, body, signal, isQuiet: true }),
    [asked],
  );
  return (
    <section class="card" aria-label="Preview">
      <Button class="small" onAct={() => setAsked({ ...letter })} text="Preview" />
      <LoadedData of={mail}>
        {({ subject, text }) => (
          <>
            <h3>{subject}</h3>
            <p class="letter">{text}</p>
          </>
        )}
      </LoadedData>
    </section>
  );
}
