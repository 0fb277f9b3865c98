import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { at, joinPaths } from '../../../../shared/values/text/request-path.ts';
import { ApiProblem } from '../../../core/api.ts';
import { counted } from '../../../core/format.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form, SelectField } from '../../../parts/form.tsx';
import { failureOf, maxItems, sendBatch } from '../bulk/batches.ts';
import { type ClassReference, type ObjectColumn, objectsPath } from '../object-data.ts';
import {
  explaining,
  type Mapping,
  type ReadObject,
  readColumnNames,
  readCsv,
  readLines,
  readParts,
  type TextForm,
} from './read-file.ts';

interface ImportDialogProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly onClose: () => void;
  /** Objects were created. */
  readonly onImported: () => void;
}

interface Report {
  readonly done: number;
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly string[];
  /** Fields with times that name no zone. */
  readonly inUtc?: readonly string[];
}

const maxBatchLength = 150_000; // characters: a body has a limit of structure too
const maxFailures = 100; // that are kept

/** Creates objects from a CSV or JSON lines file. */
export function ImportDialog({ ofClass, columns, onClose, onImported }: ImportDialogProps) {
  const [report, setReport] = useState<Report>();
  const source = useSource(columns, () => setReport(undefined));
  const { file, form, names, mapping, setMapping } = source;
  const [bytes, setBytes] = useState(0);
  const [abort] = useState(() => new AbortController());
  const run = async () => {
    if (file === undefined) throw new ApiProblem(0, 'The file is not read yet. Choose it again.');
    checkMapping(mapping);
    const inUtc = new Set<string>();
    const onUtcAssumed = (field: string) => void inUtc.add(field);
    const { encoding, delimiter } = form;
    const parts = readParts(file, { encoding, isCsv: names !== undefined, onRead: setBytes });
    const csv = { mapping, columns, delimiter, onUtcAssumed };
    const objects = names === undefined ? readLines(parts) : readCsv(parts, csv);
    const onReport = (next: Report) => setReport({ ...next, inUtc: [...inUtc] });
    const end = await explaining(() =>
      sendAll(ofClass, { objects, signal: abort.signal }, onReport),
    );
    onImported();
    notify(`${counted(end.done, 'object')} imported.${utcNote([...inUtc])}`);
    if (end.failed === 0) onClose();
  };
  const close = () => {
    abort.abort();
    onClose();
  };
  return (
    <Dialog title="Import" onClose={close} isWide>
      <Form verb="Import" onSend={run} onCancel={close}>
        {() => (
          <>
            <SourceFields {...source} />
            {names !== undefined && (
              <ColumnChoices
                names={names}
                mapping={mapping}
                columns={columns}
                onChoose={(name, field) => setMapping((last) => ({ ...last, [name]: field }))}
              />
            )}
            {report !== undefined && (
              <>
                <progress aria-label="Read so far" max={file?.size ?? 1} value={bytes} />
                <ReportView report={report} />
              </>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The file of an import, how it is read, and the names of its columns where it is CSV. */
function useSource(columns: readonly ObjectColumn[], onChange: () => void) {
  const [{ chosen, form }, setSource] = useState<{ chosen?: File; form: TextForm }>({
    form: { encoding: 'utf-8', delimiter: undefined },
  });
  const [file, setFile] = useState<File>();
  const [names, setNames] = useState<readonly string[]>();
  const [mapping, setMapping] = useState<Mapping>({});
  const choose = async (next: Partial<TextForm> & { readonly file?: File | undefined }) => {
    const { file: given, ...changes } = next;
    const source = 'file' in next ? given : chosen;
    const wanted = { ...form, ...changes };
    setSource({ ...(source && { chosen: source }), form: wanted });
    setFile(undefined); // until its names are read
    setNames(undefined);
    onChange();
    if (!isCsv(source)) return setFile(source);
    const read = await readColumnNames(source, wanted);
    const same = (name: string) => columns.find((each) => each.name === name)?.name ?? '';
    setMapping(Object.fromEntries(read.map((name) => [name, same(name)])));
    setNames(read);
    setFile(source);
  };
  return { file, form, isCsv: isCsv(chosen), names, mapping, setMapping, choose };
}

function isCsv(file: File | undefined): file is File {
  return file?.name.toLowerCase().endsWith('.csv') === true;
}

type Source = ReturnType<typeof useSource>;

/** The fields for a file and how it is read. */
function SourceFields({ form, isCsv, choose }: Pick<Source, 'form' | 'isCsv' | 'choose'>) {
  const { encoding, delimiter } = form;
  return (
    <>
      <FileField
        label="CSV or JSON lines file"
        accept=".csv,.jsonl,.ndjson,.json"
        onFile={(file) => attempt(() => choose({ file }))}
      />
      <SelectField
        label="Encoding"
        value={encoding}
        onValue={(name) => attempt(() => choose({ encoding: name }))}
        options={encodings}
      />
      {isCsv && (
        <SelectField
          label="Cells are separated by"
          value={delimiter ?? ''}
          onValue={(given) =>
            attempt(() => choose({ delimiter: given === '' ? undefined : given }))
          }
          options={delimiters}
        />
      )}
    </>
  );
}

const delimiters: readonly (readonly [string, string])[] = [
  ['', 'found by itself'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
];

/** Encodings of spreadsheets, by their names in the WHATWG's list. */
const encodings: readonly (readonly [string, string])[] = [
  ['utf-8', 'UTF-8, or UTF-16 with a mark'],
  ['windows-1252', 'Windows-1252, Western'],
  ['windows-1250', 'Windows-1250, Central European'],
  ['windows-1251', 'Windows-1251, Cyrillic'],
  ['macintosh', 'Macintosh'],
  ['shift_jis', 'Shift_JIS'],
  ['gb18030', 'GB 18030'],
  ['utf-16le', 'UTF-16'],
];

/** Refuses two columns for one field, of which one would be lost. */
function checkMapping(mapping: Mapping): void {
  const fields = Object.values(mapping).filter((field) => field !== '');
  const twice = fields.find((field, index) => fields.indexOf(field) < index);
  if (twice !== undefined) throw new ApiProblem(0, `Two columns fill the field ${twice}.`);
}

function utcNote(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` Times without a zone were read as UTC: ${fields.join(', ')}.`;
}

interface ColumnChoicesProps {
  /** Of the columns of the file. */
  readonly names: readonly string[];
  readonly mapping: Mapping;
  readonly columns: readonly ObjectColumn[];
  readonly onChoose: (name: string, field: string) => void;
}

function ColumnChoices({ names, mapping, columns, onChoose }: ColumnChoicesProps) {
  const writable = columns.filter(({ name }) => !readOnly.includes(name));
  return (
    <>
      <p>Which field does each column of the file fill?</p>
      {names.map((name) => (
        <SelectField
          key={name}
          label={name}
          value={mapping[name] ?? ''}
          onValue={(field) => onChoose(name, field)}
          options={[['', 'leave out'], ...writable.map((each) => [each.name, each.name] as const)]}
        />
      ))}
    </>
  );
}

const readOnly = ['id', 'created_at', 'updated_at', 'revision'];

function ReportView({
  report: { done, failed, failures, inUtc = [] },
}: {
  readonly report: Report;
}) {
  return (
    <>
      <p role="status">
        {done} imported{failed > 0 && `, ${failed} not imported`}.{utcNote(inUtc)}
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

interface ReadSource {
  readonly objects: AsyncGenerator<ReadObject>;
  readonly signal: AbortSignal;
}

/** Sends objects in batches, each as soon as it is full; the file is read on when its response is there. */
async function sendAll(
  ofClass: ClassReference,
  { objects, signal }: ReadSource,
  onReport: (report: Report) => void,
): Promise<Report> {
  let report: Report = { done: 0, failed: 0, failures: [] };
  const add = (done: number, problems: readonly string[]) => {
    report = {
      done: report.done + done,
      failed: report.failed + problems.length,
      failures: [...report.failures, ...problems].slice(0, maxFailures),
    };
  };
  let part: Sendable[] = [];
  let length = 0;
  const flush = async () => {
    const full = part;
    part = [];
    length = 0;
    const problems = await sendPart(ofClass, full);
    add(full.length - problems.length, problems);
    onReport(report);
  };
  for await (const object of objects) {
    if (signal.aborted) return report;
    if ('problem' in object) {
      add(0, [`line ${object.line}: ${object.problem}`]);
      if (report.failed <= maxFailures) onReport(report);
      continue;
    }
    const size = writeExactJson(object.values).length;
    if (isFull(part.length, length + size)) await flush();
    part.push(object);
    length += size;
  }
  if (!signal.aborted) await flush();
  return report;
}

function isFull(items: number, nextLength: number): boolean {
  return items === maxItems || (items > 0 && nextLength > maxBatchLength);
}

type Sendable = Extract<ReadObject, { readonly values: object }>;

/** Creates objects; returns why some were not. */
async function sendPart(ofClass: ClassReference, part: readonly Sendable[]): Promise<string[]> {
  if (part.length === 0) return [];
  const path = joinPaths(at`/v1.1/`, objectsPath(ofClass));
  const items = part.map(({ values }) => ({ method: 'POST' as const, path, body: values }));
  const entries = await sendBatch(ofClass.instance, items, true); // no field is lost in silence
  return entries.flatMap((entry, index) => {
    const reason = failureOf(entry);
    return reason === undefined ? [] : [`line ${part[index]?.line}: ${reason}`];
  });
}
