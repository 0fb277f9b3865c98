import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SentRequest } from '../core/roles.ts';
import { Dialog } from './dialog.tsx';
import { type CheckValue, Form, type TextValue } from './form.tsx';

/** Props of the form for a new record. */
export interface NewItemProps {
  readonly instance: string;
  /** Sends the body of the request. */
  readonly onSend: (body: object) => Promise<void>;
  readonly onCancel?: () => void;
}

/** Props of the form for a record, also for a new one. */
export interface ItemFormProps<Item> extends NewItemProps {
  /** Absent: a new one. */
  readonly item?: Item;
  /** What `onSend` sends, where its button does not depend on it already. */
  readonly sends?: SentRequest;
}

/** The values of a form as typed, and the errors of the last attempt. */
export interface FormDraft<Values> {
  readonly values: Values;
  readonly errors: Readonly<Record<string, string>>;
  readonly change: (changes: Partial<Values>) => void;
  /** Returns props of a control for text, and of a choice of one. */
  readonly text: <Name extends NamesOf<Values, string>>(name: Name) => TextValue;
  /** Returns props of a control for yes or no. */
  readonly check: <Name extends NamesOf<Values, boolean>>(name: Name) => CheckValue;
}

/** Names of the values of a type. */
type NamesOf<Values, Type> = {
  [Name in keyof Values]: Values[Name] extends Type ? Name : never;
}[keyof Values] &
  string;

interface DraftFormProps<Values> {
  /** Values before the first change. */
  readonly start: Values;
  /** Label of the button. */
  readonly verb: string;
  readonly sends?: SentRequest | undefined;
  readonly onSend: (values: NoInfer<Values>) => Promise<void>;
  readonly onCancel?: (() => void) | undefined;
  /** Begins again with `start` when the values were sent. */
  readonly isEmptied?: boolean;
  readonly isLong?: boolean;
  readonly isDisposable?: boolean;
  readonly hasOwnLocks?: boolean;
  readonly children: (draft: FormDraft<NoInfer<Values>>) => ComponentChildren;
  /** Is shown below the form. */
  readonly below?: (values: NoInfer<Values>) => ComponentChildren;
}

/** A form that keeps its values, by the names that they have in the interface. */
export function DraftForm<Values extends object>(props: DraftFormProps<Values>) {
  const { start, onSend, isEmptied, children, below, ...form } = props;
  const [values, setValues] = useState(start);
  const [saved, setSaved] = useState(start);
  const change = (changes: Partial<Values>) => setValues((last) => ({ ...last, ...changes }));
  const isChanged = JSON.stringify(values) !== JSON.stringify(saved);
  const submit = async () => {
    await onSend(values);
    if (isEmptied) setValues(start);
    else setSaved(values);
  };
  return (
    <>
      <Form {...form} isChanged={isChanged} onSend={submit}>
        {(errors) => children(bindDraft({ values, errors, change }))}
      </Form>
      {below?.(values)}
    </>
  );
}

/** Returns a draft whose values are kept elsewhere. */
export function bindDraft<Values extends object>(
  state: Pick<FormDraft<Values>, 'values' | 'errors' | 'change'>,
): FormDraft<Values> {
  const { values, errors, change } = state;
  return {
    ...state,
    text: (name) => ({
      value: String(values[name]),
      onValue: (value) => change({ [name]: value } as Partial<Values>), // a name of a text
      error: errors[name],
    }),
    check: (name) => ({
      isChecked: values[name] === true,
      onChecked: (value) => change({ [name]: value } as Partial<Values>), // likewise
      error: errors[name],
    }),
  };
}

interface FormDialogProps<Values> extends Omit<DraftFormProps<Values>, 'onCancel'> {
  readonly title: string;
  readonly onClose: () => void;
}

/** A dialog with one form. */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, onClose, ...form } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <DraftForm {...form} onCancel={onClose} />
    </Dialog>
  );
}
