import { useRef, useState } from 'preact/hooks';
import { counted } from '../../../core/format.ts';
import { toApiProblem } from '../../../core/load.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form, SelectField } from '../../../parts/form.tsx';
import { type ClassReference, type ObjectColumn, readOnlyFields } from '../object-data.ts';
import type { FileCheck } from './check-objects.ts';
import { checkMapping, mapColumns } from './column-mapping.ts';
import {
  checkSame,
  checkSource,
  type ImportSource,
  saveLeftOut,
  writeFile,
} from './import-file.ts';
import { accept, FileProblems, Finished, ReportView, utcNote } from './import-report.tsx';
import { PreviewTable } from './preview-table.tsx';
import { type FilePreview, isCsv, type Mapping, readPreview } from './read-file.ts';
import type { ImportReport } from './send-objects.ts';

interface ImportDialogProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly onClose: () => void;
  /** Objects were created. */
  readonly onImported: () => void;
}

const noSource: ImportSource = {
  file: undefined,
  form: { encoding: 'utf-8', delimiter: undefined },
  preview: undefined,
  mapping: {},
};

/** Creates objects from a CSV or JSON lines file. */
export function ImportDialog(props: ImportDialogProps) {
  const { source, problem, fields, check, report, inUtc, bytes, choose, change, ...state } =
    useImport(props);
  const { file, preview, mapping } = source;
  const progress = bytes > 0 && (
    <progress aria-label="Read so far" max={file?.size ?? 1} value={bytes} />
  );
  if (report !== undefined && inUtc !== undefined) {
    return <Finished {...{ report, inUtc, progress, ...state }} />;
  }
  const others = check && counted(check.rows - check.bad, 'row');
  return (
    <Dialog title="Import" onClose={state.onClose} isWide>
      <Form
        verb={mayImport(check) ? `Import the other ${others}` : 'Import'}
        onSend={state.run}
        onCancel={state.onClose}
      >
        {() => (
          <>
            <fieldset class="bare" disabled={state.isBusy}>
              <SourceFields
                {...{ source, problem }}
                onChoose={(next) => attempt(() => choose(next))}
              />
              {file && preview && (
                <Preview
                  {...{ file, preview, fields, mapping }}
                  onMapping={(next) => change({ ...source, mapping: next })}
                />
              )}
            </fieldset>
            {check !== undefined && <FileProblems check={check} />}
            {progress}
            {report !== undefined && <ReportView report={report} inUtc={[]} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The file of an import, as far as it is read. */
function useSource(fields: readonly ObjectColumn[], onChange: () => void) {
  const [source, setSource] = useState(noSource);
  const [problem, setProblem] = useState<string>();
  const latest = useRef(noSource);
  const change = (next: ImportSource) => {
    latest.current = next; // one that is still being read is not shown
    setSource(next);
    setProblem(undefined);
    onChange();
  };
  const choose = async (changes: Partial<ImportSource>) => {
    const next = { ...source, ...changes, preview: undefined };
    change(next);
    if (next.file === undefined) return;
    try {
      const read = await readPreview(next.file, next.form);
      const mapping = mapColumns(read.names, fields, isCsv(next.file));
      if (latest.current === next) setSource({ ...next, preview: read, mapping });
    } catch (error) {
      if (latest.current === next) setProblem(toApiProblem(error).message);
    }
  };
  const onRenew = (next: File | undefined) => setSource({ ...source, file: next });
  return { source, problem, change, choose, onRenew };
}

/** The state of an import, and what its buttons do. */
function useImport({ ofClass, columns, onClose, onImported }: ImportDialogProps) {
  const [check, setCheck] = useState<FileCheck>();
  const [report, setReport] = useState<ImportReport>();
  const [inUtc, setInUtc] = useState<readonly string[]>(); // known when it has finished
  const [bytes, setBytes] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [abort] = useState(() => new AbortController());
  const fields = columns.filter(({ name }) => !readOnlyFields.includes(name));
  const file = useSource(fields, () => {
    setCheck(undefined);
    setReport(undefined);
    setInUtc(undefined);
    setBytes(0);
  });
  const { source, change } = file;
  const reading = { source, columns, fields, signal: abort.signal, onRead: setBytes };
  /** Nothing else is done with the file meanwhile. */
  const alone = async (act: () => Promise<void>) => {
    setBusy(true);
    await act().finally(() => {
      setBusy(false);
      setBytes(0);
    });
  };
  const write = async (before?: ImportReport) => {
    const { assumed, ...end } = await writeFile(ofClass, { ...reading, before }, setReport);
    setReport(end);
    onImported();
    notify(`${counted(end.done, 'object')} imported.${utcNote(assumed)}`);
    if (abort.signal.aborted) return; // another dialog may be open
    if (end.failed.size === 0 && end.end === undefined) onClose();
    else setInUtc(assumed);
  };
  const run = async () => {
    if (mayImport(check)) return write();
    checkMapping(source.mapping);
    const found = await checkSource(reading);
    if (abort.signal.aborted) return;
    if (found.bad > 0) setCheck(found);
    else await write();
  };
  const withRest = (act: (left: ImportReport) => Promise<void>) =>
    alone(async () => {
      if (report === undefined) return;
      if (report.unread !== undefined) await checkSame(reading, report);
      await act(report);
    });
  return {
    ...{ ...file, fields, check, report, inUtc, bytes, isBusy },
    run: () => alone(run),
    onClose: () => {
      abort.abort();
      onClose();
    },
    onAgain: () => change(noSource),
    onRetry: () => withRest(write),
    onSave: () => withRest((left) => saveLeftOut(reading, left)),
  };
}

/** Checks whether a file with problems has rows without any. */
function mayImport(check: FileCheck | undefined): check is FileCheck {
  return check !== undefined && check.bad < check.rows;
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

interface SourceFieldsProps {
  readonly source: ImportSource;
  /** Why the file cannot be read. */
  readonly problem: string | undefined;
  readonly onChoose: (changes: Partial<ImportSource>) => void;
}

/** The fields for a file and how it is read. */
function SourceFields({ source: { file, form }, problem, onChoose }: SourceFieldsProps) {
  return (
    <>
      <FileField
        label="CSV or JSON lines file"
        accept={accept}
        error={problem}
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
