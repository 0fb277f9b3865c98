import { useMemo, useState } from 'preact/hooks';
import { toApiProblem } from '../../core/load.ts';
import { currentLocation, setQuery } from '../../core/router.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { AreaField } from '../../parts/form.tsx';
import type { ClassRecord } from './class-data.ts';
import { definitionOf, type FieldDraft } from './class-draft.ts';
import { parseSchemaText, schemaText, toFieldDrafts } from './schema-text.ts';

/** Keeps the fields as JSON text while they are edited so. The view is in the query. */
export function useSchemaText(
  record: ClassRecord | undefined,
  fields: readonly FieldDraft[],
  onFields: (fields: readonly FieldDraft[]) => void,
) {
  const written = () => schemaText(fields.map(definitionOf));
  const [text, setText] = useState(
    currentLocation.peek().query.get('view') === 'json' ? written : undefined,
  );
  const [problem, setProblem] = useState<string>();
  const show = (next: string | undefined) => {
    setText(next);
    setProblem(undefined);
    setQuery({ view: next === undefined ? undefined : 'json' });
  };
  return {
    /** Undefined: the fields are edited as a form. */
    text,
    /** Why the text cannot be shown as a form. */
    problem,
    /** Undefined: the text cannot be read. */
    schema: useMemo(
      () => (text === undefined ? fields.map(definitionOf) : parseSchemaText(text)),
      [text, fields],
    ),
    onText: (next: string) => {
      setText(next);
      setProblem(undefined);
    },
    onJson: () => show(text ?? written()),
    onForm: () => {
      if (text === undefined) return;
      try {
        onFields(toFieldDrafts(text, record?.schema ?? []));
      } catch (error) {
        setProblem(toApiProblem(error).fields.schema);
        return;
      }
      show(undefined);
    },
  };
}

interface SchemaViewProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
}

/** The fields of a class as JSON, as the interface has them. */
export function SchemaView({ text, onText, error }: SchemaViewProps) {
  return (
    <>
      <AreaField
        label="Fields as JSON"
        hint="The schema of the class. A field that is left out, or has another name or type, loses its values."
        value={text}
        onValue={onText}
        error={error}
        rows={20}
        isCode
      />
      <div class="actions views">
        <CopyButton text={() => text} label="Copy" about="the fields as JSON" />
      </div>
    </>
  );
}
