import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { AreaField, ErrorText, TextField } from '../../parts/form.tsx';
import { fillText, sampleVariables } from './fill-text.ts';
import { type LetterName, letters, type OwnLetter } from './user-settings-data.ts';

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
      <DraftForm start={start} verb="Save the text" onSend={onSave} onCancel={onClose} isGuarded>
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
              hint={`A template, with ${all}. An empty line begins a paragraph.${hasLink ? ' The mail has the link below its text.' : ''}`}
              rows={8}
              {...text('text')}
            />
            <ErrorText>{errors.mails}</ErrorText>
            <LetterPreview instance={instance} letter={values} />
          </>
        )}
      </DraftForm>
    </Dialog>
  );
}

interface LetterPreviewProps {
  readonly instance: string;
  readonly letter: OwnLetter;
}

function LetterPreview({ instance, letter }: LetterPreviewProps) {
  const sample = sampleVariables(instance);
  const subject = fillText(letter.subject, sample);
  const body = fillText(letter.text, sample);
  const paragraphs = body.text.split(/\n\s*\n/).filter((each) => each.trim() !== '');
  return (
    <section class="card" aria-label="Preview">
      <h3>{subject.text || 'Preview'}</h3>
      {paragraphs.map((each, i) => (
        <p key={i} class="letter">
          {each}
        </p>
      ))}
      {!(subject.isWhole && body.isWhole) && (
        <p class="hint">What is still in braces is filled in when the mail is sent.</p>
      )}
    </section>
  );
}
