import { useState } from 'preact/hooks';
import { ApiProblem } from '../../../core/api.ts';
import { counted, formatNumber } from '../../../core/format.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form, SelectField } from '../../../parts/form.tsx';
import { type ClassReference, type ObjectColumn, readOnlyFields } from '../object-data.ts';
import { PreviewTable } from './preview-table.tsx';
import {
  explaining,
  type FilePreview,
  isCsv,
  type Mapping,
  readCsv,
  readLines,
  readParts,
  readPreview,
  type TextForm,
} from './read-file.ts';
import { type ImportReport, sendObjects } from './send-objects.ts';

interface ImportDialogProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly onClose: () => void;
  /** Objects were created. */
  readonly onImported: () => void;
}

/** A file, how it is read, and where its columns go. */
interface Source {
  readonly file: File | undefined;
  readonly form: TextForm;
  /** Undefined until it is read. */
  readonly preview: FilePreview | undefined;
  readonly mapping: Mapping;
}

const noSource: Source = {
  file: undefined,
  form: { encoding: 'utf-8', delimiter: undefined },
  preview: undefined,
  mapping: {},
};

const unread = new ApiProblem(0, 'The file is not read yet. Choose it again.');

/** Creates objects from a CSV or JSON lines file. */
export function ImportDialog({ ofClass, columns, onClose, onImported }: ImportDialogProps) {
  const [source, setSource] = useState(noSource);
  const [report, setReport] = useState<ImportReport>();
  const [inUtc, setInUtc] = useState<readonly string[]>(); // known when it has finished
  const [bytes, setBytes] = useState(0);
  const [abort] = useState(() => new AbortController());
  const { file, form, preview, mapping } = source;
  const fields = columns.filter(({ name }) => !readOnlyFields.includes(name));
  const choose = async (changes: Partial<Source>) => {
    const next = { ...source, ...changes, preview: undefined };
    setSource(next);
    setReport(undefined);
    if (next.file === undefined) return;
    const read = await readPreview(next.file, next.form);
    const mapped = read.names.map((name) => [name, fieldOf(name, read.names, fields)]);
    // unless another one was chosen since
    setSource((last) =>
      last === next ? { ...next, preview: read, mapping: Object.fromEntries(mapped) } : last,
    );
  };
  const run = async () => {
    if (file === undefined || preview === undefined) throw unread;
    checkMapping(mapping);
    const assumed = new Set<string>();
    const onUtcAssumed = (field: string) => void assumed.add(field);
    const parts = readParts(file, { ...form, isCsv: isCsv(file), onRead: setBytes });
    const csv = { ...form, mapping, columns: fields, onUtcAssumed };
    const objects = isCsv(file) ? readCsv(parts, csv) : readLines(parts);
    const end = await explaining(() =>
      sendObjects(ofClass, { objects, signal: abort.signal }, setReport),
    );
    onImported();
    notify(`${counted(end.done, 'object')} imported.${utcNote([...assumed])}`);
    if (end.failed === 0) return onClose();
    setSource(noSource);
    setInUtc([...assumed]);
  };
  const close = () => {
    abort.abort();
    onClose();
  };
  if (report !== undefined && inUtc !== undefined) {
    return <Finished {...{ report, inUtc, onClose }} onAgain={() => setInUtc(undefined)} />;
  }
  return (
    <Dialog title="Import" onClose={close} isWide>
      <Form verb="Import" onSend={run} onCancel={close}>
        {() => (
          <>
            <SourceFields source={source} onChoose={(changes) => attempt(() => choose(changes))} />
            {file && preview && (
              <Preview
                {...{ file, preview, mapping, fields }}
                onMapping={(next) => setSource({ ...source, mapping: next })}
              />
            )}
            {report !== undefined && (
              <>
                <progress aria-label="Read so far" max={file?.size ?? 1} value={bytes} />
                <ReportView report={report} inUtc={[]} />
              </>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface PreviewProps {
  readonly file: File;
  readonly preview: FilePreview;
  readonly mapping: Mapping;
  readonly fields: readonly ObjectColumn[];
  readonly onMapping: (mapping: Mapping) => void;
}

function Preview({ file, preview, mapping, fields, onMapping }: PreviewProps) {
  return (
    <>
      <p>
        {preview.isEstimate && 'About '}
        {counted(preview.count, 'row')}.{isCsv(file) && ' Match the columns to fields.'}
      </p>
      <PreviewTable
        {...{ preview, mapping, fields }}
        onMapping={isCsv(file) ? onMapping : undefined}
      />
    </>
  );
}

interface FinishedProps extends ReportViewProps {
  readonly onClose: () => void;
  /** Imports another file. */
  readonly onAgain: () => void;
}

function Finished({ onClose, onAgain, ...report }: FinishedProps) {
  return (
    <Dialog title="Import finished" onClose={onClose} isWide>
      <ReportView {...report} />
      <div class="actions">
        <Button class="main" onAct={onClose} text="Done" />
        <Button onAct={onAgain} text="Import another file" />
      </div>
    </Dialog>
  );
}

interface SourceFieldsProps {
  readonly source: Source;
  readonly onChoose: (changes: Partial<Source>) => void;
}

/** The fields for a file and how it is read. */
function SourceFields({ source: { file, form }, onChoose }: SourceFieldsProps) {
  return (
    <>
      <FileField
        label="CSV or JSON lines file"
        accept=".csv,.jsonl,.ndjson,.json"
        onFile={(chosen) => onChoose({ file: chosen })}
      />
      <div class="row">
        <SelectField
          label="Encoding"
          value={form.encoding}
          onValue={(encoding) => onChoose({ form: { ...form, encoding } })}
          options={encodings}
        />
        {file !== undefined && isCsv(file) && (
          <SelectField
            label="Delimiter"
            value={form.delimiter ?? ''}
            onValue={(given) => onChoose({ form: { ...form, delimiter: given || undefined } })}
            options={delimiters}
          />
        )}
      </div>
    </>
  );
}

const delimiters: readonly (readonly [string, string])[] = [
  ['', 'Detect automatically'],
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
];

/** Encodings of spreadsheets, by their names in the WHATWG's list. */
const encodings: readonly (readonly [string, string])[] = [
  ['utf-8', 'UTF-8, or UTF-16 with BOM'],
  ['windows-1252', 'Windows-1252, Western'],
  ['windows-1250', 'Windows-1250, Central European'],
  ['windows-1251', 'Windows-1251, Cyrillic'],
  ['macintosh', 'Macintosh'],
  ['shift_jis', 'Shift_JIS'],
  ['gb18030', 'GB 18030'],
  ['utf-16le', 'UTF-16'],
];

/** Returns the name of the field for a column, in any case where no other column has it exactly. */
function fieldOf(name: string, names: readonly string[], fields: readonly ObjectColumn[]): string {
  const isSame = (field: ObjectColumn) => field.name.toLowerCase() === name.toLowerCase();
  const like = fields.find((field) => isSame(field) && !names.includes(field.name));
  return fields.some((field) => field.name === name) ? name : (like?.name ?? '');
}

/** Refuses two columns for one field, of which one would be lost. */
function checkMapping(mapping: Mapping): void {
  const fields = Object.values(mapping).filter((field) => field !== '');
  const twice = fields.find((field, index) => fields.indexOf(field) < index);
  if (twice !== undefined) throw new ApiProblem(0, `Two columns fill the field ${twice}.`);
}

function utcNote(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` Times without a zone were read as UTC: ${fields.join(', ')}.`;
}

interface ReportViewProps {
  readonly report: ImportReport;
  /** Fields with times that name no zone. */
  readonly inUtc: readonly string[];
}

function ReportView({ report: { done, failed, failures }, inUtc }: ReportViewProps) {
  return (
    <>
      <p role="status">
        {formatNumber(done)} imported{failed > 0 && `, ${formatNumber(failed)} not imported`}.
        {utcNote(inUtc)}
      </p>
      {failed > failures.length && <p>The first {failures.length} that were not imported:</p>}
      <ul>
        {failures.map((failure) => (
          <li key={failure}>{failure}</li>
        ))}
      </ul>
    </>
  );
}
