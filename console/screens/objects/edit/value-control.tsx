import { useEffect, useId, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import {
  AreaField,
  ErrorText,
  SelectField,
  TextField,
  type TextValue,
} from '../../../parts/form.tsx';
import { SafeLink } from '../../../parts/safe-link.tsx';
import { isImage } from '../grid/cell.tsx';
import type { ClassReference, ObjectColumn } from '../object-data.ts';
import type { ValueDraft } from './draft.ts';
import { TargetPicker } from './target-picker.tsx';

export interface ValueControlProps {
  readonly ofClass: ClassReference;
  readonly column: ObjectColumn;
  readonly draft: ValueDraft;
  readonly onDraft: (draft: ValueDraft) => void;
  readonly error?: string | undefined;
}

/** The control for a value of a type. */
export function ValueControl({ ofClass, column, draft, onDraft, error }: ValueControlProps) {
  const { name, type } = column;
  const text = typeof draft === 'string' ? draft : '';
  const field = { label: name, value: text, onValue: onDraft, error };
  switch (type) {
    case 'text':
      return (
        <>
          <AreaField {...field} />
          <Unset draft={draft} onDraft={onDraft} name={name} />
        </>
      );
    case 'string':
      return (
        <>
          <TextField {...field} />
          <Unset draft={draft} onDraft={onDraft} name={name} />
        </>
      );
    case 'array':
    case 'object':
      return <AreaField {...field} hint={`JSON: ${type === 'array' ? '[…]' : '{…}'}`} isCode />;
    case 'integer':
    case 'float':
      return <TextField {...field} input={{ type: 'number', step: 'any' }} />;
    case 'boolean':
      return <SelectField {...field} options={booleans} />;
    case 'datetime':
      return <DateControl {...field} />;
    case 'geopoint':
      return <PointControl {...field} />;
    case 'reference':
    case 'relation':
      return <TargetControl {...field} ofClass={ofClass} column={column} />;
    case 'file':
      return <FileControl name={name} draft={draft} onDraft={onDraft} error={error} />;
  }
}

const booleans = [
  ['', 'not set'],
  ['true', 'true'],
  ['false', 'false'],
] as const;

/** Empty text is a value of its own: this removes it. */
function Unset({
  draft,
  onDraft,
  name,
}: Pick<ValueControlProps, 'draft' | 'onDraft'> & { readonly name: string }) {
  if (draft === null) return <p class="hint unset">Not set.</p>;
  return <Button class="link unset" onAct={() => onDraft(null)} text={`Unset ${name}`} />;
}

interface TextProps extends TextValue {
  readonly label: string;
}

/** Shows a time in UTC. Digits beyond milliseconds stay as long as it is not changed. */
function DateControl({ value, onValue, ...field }: TextProps) {
  const [shown, setShown] = useState(value.slice(0, 23).replace(/\.000$/, ''));
  return (
    <TextField
      {...field}
      hint="In UTC."
      value={shown}
      onValue={(next) => {
        setShown(next);
        onValue(next === '' ? '' : new Date(`${next}Z`).toISOString());
      }}
      input={{ type: 'datetime-local', step: 0.001 }}
    />
  );
}

function PointControl({ label, value, onValue, error }: TextProps) {
  const [latitude = '', longitude = ''] = value.split(',').map((each) => each.trim());
  const join = (lat: string, lng: string) =>
    onValue(lat === '' && lng === '' ? '' : `${lat}, ${lng}`);
  return (
    <fieldset class="bare">
      <legend>{label}</legend>
      <div class="row">
        <TextField
          label="Latitude"
          value={latitude}
          onValue={(next) => join(next, longitude)}
          error={error}
          input={{ type: 'number', min: -90, max: 90, step: 'any' }}
        />
        <TextField
          label="Longitude"
          value={longitude}
          onValue={(next) => join(latitude, next)}
          input={{ type: 'number', min: -180, max: 180, step: 'any' }}
        />
      </div>
    </fieldset>
  );
}

interface TargetControlProps extends TextProps, Pick<ValueControlProps, 'ofClass' | 'column'> {}

function TargetControl({ ofClass, column, ...field }: TargetControlProps) {
  const [isPicking, setPicking] = useState(false);
  const { value, onValue, label } = field;
  const isMany = column.type === 'relation';
  const pick = (id: number) => {
    setPicking(false);
    onValue(isMany && value !== '' ? `${value}, ${id}` : String(id));
  };
  return (
    <div class="target">
      <TextField {...field} hint={isMany ? 'Ids, with commas between.' : 'An id.'} />
      <Button
        class="small"
        onAct={() => setPicking(true)}
        text={isMany ? `Add to ${label}` : `Choose ${label}`}
      />
      {isPicking && (
        <TargetPicker
          ofClass={ofClass}
          column={column}
          onPick={pick}
          onClose={() => setPicking(false)}
        />
      )}
    </div>
  );
}

interface FileControlProps extends Pick<ValueControlProps, 'draft' | 'onDraft' | 'error'> {
  readonly name: string;
}

function FileControl({ name, draft, onDraft, error }: FileControlProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <FilePreview draft={draft} />
      <input
        id={id}
        type="file"
        onChange={({ currentTarget }) => onDraft(currentTarget.files?.[0] ?? null)}
      />
      {draft !== null && (
        <Button class="link" onAct={() => onDraft(null)} text={`Remove ${name}`} />
      )}
      <ErrorText>{error}</ErrorText>
    </div>
  );
}

function FilePreview({ draft }: { readonly draft: ValueDraft }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (!(draft instanceof File) || !draft.type.startsWith('image/')) {
      setUrl('');
      return undefined;
    }
    const made = URL.createObjectURL(draft);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [draft]);
  if (draft instanceof File) {
    return (
      <p>
        {url !== '' && <img class="preview" src={url} alt="" />} {draft.name}, {draft.size} bytes
      </p>
    );
  }
  if (draft === null) return null;
  return (
    <p>
      <SafeLink url={draft}>
        {isImage(draft) ? (
          <img class="preview" src={draft} alt="The stored file" />
        ) : (
          'The stored file'
        )}
      </SafeLink>
    </p>
  );
}
