import { useEffect, useId, useState } from 'preact/hooks';
import { parseExactJson, writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { formatSize } from '../../../core/format.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorText } from '../../../parts/field-messages.tsx';
import { useFileChoice } from '../../../parts/file-choice.ts';
import {
  AreaField,
  type InputProps,
  SelectField,
  TextField,
  type TextValue,
} from '../../../parts/form.tsx';
import { SafeLink } from '../../../parts/safe-link.tsx';
import { Cell, isImage } from '../grid/cell.tsx';
import { type ClassReference, type ObjectColumn, targetClass } from '../object-data.ts';
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
    case 'string':
      return <Clearable {...field} draft={draft} onDraft={onDraft} isLong={type === 'text'} />;
    case 'array':
      return <ArrayControl {...field} />;
    case 'object':
      return <AreaField {...field} hint="JSON: {…}" isCode />;
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
      return <TargetControl {...field} {...{ ofClass, column }} isMany={type === 'relation'} />;
    case 'file':
      return <FileControl name={name} draft={draft} onDraft={onDraft} error={error} />;
  }
}

const booleans = [
  ['', 'not set'],
  ['true', 'true'],
  ['false', 'false'],
] as const;

interface ClearableProps extends TextProps, Pick<ValueControlProps, 'draft' | 'onDraft'> {
  readonly isLong: boolean;
}

/** A text. An empty one is a value of its own: *Clear* removes it. */
function Clearable({ draft, onDraft, isLong, ...field }: ClearableProps) {
  const input = draft === null ? { placeholder: 'Not set' } : {};
  return (
    <div class="clearable">
      {isLong ? <AreaField {...field} {...input} /> : <TextField {...field} input={input} />}
      {draft !== null && (
        <Button
          class="link"
          onAct={() => onDraft(null)}
          aria-label={`Clear ${field.label}`}
          text="Clear"
        />
      )}
    </div>
  );
}

/** Texts are edited as lines, other items as JSON. */
function ArrayControl({ value, onValue, ...field }: TextProps) {
  const [lines, setLines] = useState(() => linesOf(value));
  if (lines === undefined) {
    return <AreaField {...field} value={value} onValue={onValue} hint="JSON: […]" isCode />;
  }
  return (
    <div class="clearable">
      <AreaField
        {...field}
        hint="One value per line."
        value={lines}
        onValue={(next) => {
          setLines(next);
          const items = next.split('\n').filter((line) => line.trim() !== '');
          onValue(items.length === 0 ? '' : writeExactJson(items, 2));
        }}
      />
      <Button
        class="link"
        onAct={() => setLines(undefined)}
        aria-label={`Edit as JSON: ${field.label}`}
        text="Edit as JSON"
      />
    </div>
  );
}

/** Returns the texts of a JSON array as lines; undefined when it has other items, or lines in an item. */
function linesOf(json: string): string | undefined {
  const items: unknown = json === '' ? [] : parseExactJson(json); // of toValueDraft
  const isSimple =
    Array.isArray(items) &&
    items.every((item) => typeof item === 'string' && item.trim() !== '' && !/[\r\n]/.test(item));
  return isSimple ? items.join('\n') : undefined;
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

interface TargetControlProps extends TextProps, Pick<ValueControlProps, 'ofClass'> {
  readonly column: ObjectColumn;
  /** Several can be chosen. */
  readonly isMany: boolean;
  readonly input?: InputProps;
}

/** The ids that a value refers to, with what they are called; they can be chosen by that. */
export function TargetControl({ ofClass, column, isMany, ...field }: TargetControlProps) {
  const [isPicking, setPicking] = useState(false);
  const { value, onValue, label } = field;
  const shown = { ...column, type: isMany ? 'relation' : 'reference' } as const;
  const ids = value.split(',').filter((id) => /^\s*\d+\s*$/.test(id));
  const pick = (id: number) => {
    setPicking(false);
    onValue(isMany && value !== '' ? `${value}, ${id}` : String(id));
  };
  return (
    <div class="row">
      <TextField
        {...field}
        hint={
          <>
            {isMany ? 'Ids, separated by commas.' : 'The id that it refers to.'}{' '}
            {ids.length > 0 && (
              <Cell {...{ ofClass }} column={shown} value={isMany ? ids : ids[0]} isCut={false} />
            )}
          </>
        }
      />
      <Button
        onAct={() => setPicking(true)}
        aria-label={isMany ? `Add to ${label}` : `Choose ${label}`}
        text={isMany ? 'Add…' : 'Choose…'}
      />
      {isPicking && (
        <TargetPicker
          title={`Choose ${column.name}`}
          instance={ofClass.instance}
          className={targetClass(column, ofClass)}
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
  const events = useFileChoice((file) => onDraft(file ?? null));
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <FilePreview draft={draft} />
      <input id={id} type="file" {...events} />
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
        {url !== '' && <img class="preview" src={url} alt="" />} {draft.name},{' '}
        {formatSize(draft.size)}
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
