import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiProblem } from '../core/api.ts';
import { toApiProblem } from '../core/load.ts';
import { nameHints, nameLengths } from '../core/name-hints.ts';
import { refusalOf, type SentRequest } from '../core/roles.ts';
import { Button } from './button.tsx';
import {
  describedBy,
  type FieldNotes,
  HintAndError,
  saidOnce,
  useInvalid,
} from './field-messages.tsx';
import { useFileChoice } from './file-choice.ts';
import { Problem } from './loaded.tsx';
import { Locked } from './locked.tsx';
import { useUnsaved } from './unsaved.ts';

interface FormProps {
  /** Label of the button, a verb. */
  readonly verb: string;
  /** What `onSend` sends: a role that may not sees the fields, and why there is no button. */
  readonly sends?: SentRequest | undefined;
  /** Sends the form; what it throws is shown, at the fields where it names them. */
  readonly onSend: () => Promise<void>;
  readonly onCancel?: (() => void) | undefined;
  /** Buttons after the others. */
  readonly actions?: ComponentChildren;
  /** Whether something would be lost when the form is closed; absent: whether something was typed. */
  readonly isChanged?: boolean | undefined;
  /** Nothing is asked when the form is closed: what was typed is quickly typed again, or must not be kept. */
  readonly isDisposable?: boolean;
  /** The button stays in view while the fields scroll. */
  readonly isLong?: boolean;
  /** The fields lock what the role may not change: other controls among them only read. */
  readonly hasOwnLocks?: boolean;
  /** Gets the messages of the last attempt by field. What it reads is shown at a field, the rest at the button. */
  readonly children: (errors: Readonly<Record<string, string>>) => ComponentChildren;
}

/**
 * A form that shows the errors of the server at its fields, and others at its button. After a failure the first invalid
 * field has the focus, or the message. Asks before what was typed is lost.
 */
export function Form(props: FormProps) {
  const { verb, sends, onSend, onCancel, actions, children, isLong, hasOwnLocks, ...guard } = props;
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const { isDisposable = false, isChanged = isTyped } = guard;
  const refusal = sends && refusalOf(sends);
  const release = useUnsaved(isChanged && !isDisposable && refusal === undefined, form);
  const submit = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onSend();
      release();
      setTyped(false);
    } catch (error) {
      setProblem(toApiProblem(error));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (problem !== undefined) focusProblem(form.current);
  }, [problem]);
  const { errors, unread } = watchErrors(problem?.fields ?? {});
  const fields = children(errors);
  return (
    <form
      ref={form}
      class={isLong ? 'long' : ''}
      // not at once: a check box would be rendered with its old state before its change event
      onInput={() => setTimeout(() => setTyped(true))}
      onInvalidCapture={(event) => {
        event.preventDefault(); // no bubble of the browser: the field says it
        form.current?.querySelector<HTMLElement>(`:is(${controls}):invalid`)?.focus();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && refusal === undefined) void submit();
      }}
    >
      <Locked isLocked={refusal !== undefined && !hasOwnLocks}>{fields}</Locked>
      <div class="form-end">
        {problem && <RestOfProblem textOf={() => unread(problem)} />}
        <div class="actions">
          {refusal === undefined ? (
            <button type="submit" class="main" disabled={isBusy}>
              {isBusy ? 'One moment…' : verb}
            </button>
          ) : (
            <p class="soft">{refusal}</p>
          )}
          {onCancel !== undefined && <Button onAct={onCancel} text="Cancel" />}
          {actions}
        </div>
      </div>
    </form>
  );
}

interface RestOfProblemProps {
  readonly textOf: () => string;
}

/** What no field has shown: it is rendered after the fields, which may read their messages in parts of their own. */
function RestOfProblem({ textOf }: RestOfProblemProps) {
  return <Problem message={textOf()} />;
}

const controls = 'input, select, textarea';

function focusProblem(form: HTMLFormElement | null): void {
  const target =
    form?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    form?.querySelector<HTMLElement>('.error') ??
    form?.querySelector<HTMLElement>('.problem');
  if (target == null) return;
  if (!target.matches(controls)) target.tabIndex = -1;
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}

/** Returns messages that know which of them were read, and a function with the text of the others. */
function watchErrors(messages: Readonly<Record<string, string>>) {
  const read = new Set<string>();
  const errors = new Proxy(messages, {
    get: (target, name) => {
      read.add(String(name));
      return Object.hasOwn(target, name) ? target[String(name)] : undefined;
    },
  });
  const unread = ({ message, fields }: ApiProblem): string => {
    const names = Object.keys(fields);
    if (names.length === 0) return message;
    const others = names.filter((name) => !read.has(name));
    const texts = others.map((name) => `${name}: ${fields[name]}`);
    return texts.length === 0 ? 'Not saved: check the marked fields.' : texts.join(' ');
  };
  return { errors, unread };
}

interface FieldProps extends FieldNotes {
  readonly label: string;
}

/** Attributes that join a control to its label, hint and error. */
type ControlAttributes = ReturnType<typeof describedBy> & { readonly id: string };

interface FieldShellProps extends FieldProps {
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

/** Label, control, hint and error of a field. */
function FieldShell({ children, label, hint, ...props }: FieldShellProps) {
  const id = useId();
  const { error, watch } = useInvalid(props.error);
  const said = saidOnce({ hint, error });
  return (
    <div class="field" {...watch}>
      <label for={id}>{label}</label>
      {children({ id, ...describedBy(id, said) })}
      <HintAndError id={id} {...said} />
    </div>
  );
}

/** Further attributes of an input. */
export interface InputProps {
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'search' | 'datetime-local';
  readonly name?: string;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
  readonly spellcheck?: boolean;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  /** Gets the focus when its popover opens. */
  readonly autofocus?: boolean;
}

/** The value of a control for text, or of a choice of one, and what is wrong with it. */
export interface TextValue {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error?: string | undefined;
}

interface TextFieldProps extends FieldProps, TextValue {
  readonly input?: InputProps;
}

/** Attributes of the input of a name that programs use. */
export const nameInput: InputProps = { required: true, autocomplete: 'off', spellcheck: false };

/** Attributes of the input of a label that people use. */
export const labelInput: InputProps = { autocomplete: 'off', maxLength: 80 };

/** Attributes of the input of a new password. */
export const newPasswordInput: InputProps = {
  type: 'password',
  required: true,
  autocomplete: 'new-password',
  maxLength: 128,
};

/** A line of text. */
export function TextField({ value, onValue, input, ...field }: TextFieldProps) {
  return (
    <FieldShell {...field}>
      {(attributes) => (
        <input
          {...(input as { type?: 'text' })} // Preact's types allow only literal types of inputs
          {...attributes}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </FieldShell>
  );
}

/** The name of a record that is part of its address. */
export function NameField(props: TextValue) {
  const input = { ...nameInput, maxLength: nameLengths.record.maxLength };
  return <TextField label="Name" hint={nameHints.record} input={input} {...props} />;
}

interface AreaFieldProps extends FieldProps, TextValue {
  readonly rows?: number;
  /** Is shown in a fixed-width font. */
  readonly isCode?: boolean;
  readonly isReadOnly?: boolean;
  readonly placeholder?: string | undefined;
}

/** Lines of text. */
export function AreaField(props: AreaFieldProps) {
  const { value, onValue, rows = 4, isCode, isReadOnly, placeholder, ...field } = props;
  return (
    <FieldShell {...field}>
      {(attributes) => (
        <textarea
          {...attributes}
          placeholder={placeholder}
          class={isCode ? 'mono' : ''}
          readOnly={isReadOnly}
          spellcheck={!isCode}
          rows={rows}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </FieldShell>
  );
}

/** The description that most records have. */
export function DescriptionField(props: TextValue) {
  return <AreaField label="Description" rows={2} {...props} />;
}

interface FileFieldProps extends FieldProps {
  /** Ends of file names, separated by commas. */
  readonly accept: string;
  readonly onFile: (file: File | undefined) => void;
}

/** A file that has to be chosen. */
export function FileField({ accept, onFile, ...field }: FileFieldProps) {
  const events = useFileChoice(onFile);
  return (
    <FieldShell {...field}>
      {(attributes) => <input {...attributes} type="file" required accept={accept} {...events} />}
    </FieldShell>
  );
}

interface SelectFieldProps extends FieldProps, TextValue {
  /** Values with their labels; some can be seen only. */
  readonly options: readonly (readonly [value: string, label: string, isDisabled?: boolean])[];
  /** The empty value is none. */
  readonly required?: boolean | undefined;
}

/** A choice of one. */
export function SelectField({ value, onValue, options, required, ...field }: SelectFieldProps) {
  return (
    <FieldShell {...field}>
      {(attributes) => (
        <select
          {...attributes}
          required={required}
          value={value}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        >
          {options.map(([each, label, isDisabled = false]) => (
            <option key={each} value={each} disabled={isDisabled}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FieldShell>
  );
}

/** The value of a control for yes or no, and what is wrong with it. */
export interface CheckValue {
  readonly isChecked: boolean;
  readonly onChecked: (isChecked: boolean) => void;
  readonly error?: string | undefined;
}

interface CheckFieldProps extends FieldProps, CheckValue {}

/** A yes or no. */
export function CheckField({ isChecked, onChecked, ...field }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="field check">
      <input
        {...describedBy(id, field)}
        id={id}
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <label for={id}>{field.label}</label>
      <HintAndError id={id} {...field} />
    </div>
  );
}
