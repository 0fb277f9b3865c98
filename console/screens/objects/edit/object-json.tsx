import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { parseObject } from '../../../core/json-text.ts';
import { notify } from '../../../core/notices.ts';
import { AreaField, Form } from '../../../parts/form.tsx';
import type { ClassReference, ObjectColumn, ObjectRecord } from '../object-data.ts';
import { useSaving } from './conflict.tsx';

interface ObjectJsonProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly object: ObjectRecord;
  readonly onSaved: (object: ObjectRecord) => void;
}

/** An object as JSON text; what was changed in it is saved. */
export function ObjectJson({ ofClass, columns, object, onSaved }: ObjectJsonProps) {
  const [text, setText] = useState(writeExactJson(object, 2));
  const { save, conflict } = useSaving({
    ofClass,
    columns,
    onSaved: (saved) => {
      notify('Saved.');
      onSaved(saved);
    },
    onTheirs: onSaved,
  });
  const send = async () => {
    const changed = Object.entries(parseObject(text)).filter(
      ([name, value]) => writeExactJson(value) !== writeExactJson(object[name]),
    );
    await save(object, Object.fromEntries(changed));
  };
  return (
    <>
      <Form verb="Save" onSend={send}>
        {() => <AreaField label="Object as JSON" value={text} onValue={setText} rows={24} isCode />}
      </Form>
      {conflict}
    </>
  );
}
