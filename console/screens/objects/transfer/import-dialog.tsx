import { useState } from 'preact/hooks';
import { at, joined } from '../../../../shared/values/text/request-path.ts';
import { ApiProblem } from '../../../core/api.ts';
import { counted } from '../../../core/counted.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form, SelectField } from '../../../parts/form.tsx';
import { failureOf, maxItems, sendBatch } from '../bulk/batches.ts';
import { type Column, type ObjectsPlace, objectsPath } from '../object-data.ts';
import {
  type CsvHead,
  type Mapping,
  type ReadObject,
  readCsv,
  readHead,
  readLines,
  readParts,
} from './read-file.ts';

interface ImportDialogProps {
  readonly place: ObjectsPlace;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
  /** Objects were created. */
  readonly onImported: () => void;
}

interface Report {
  readonly done: number;
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly string[];
}

const maxBatchLength = 150_000; // characters: a body has a limit of structure too
const maxFailures = 100; // that are kept

/** Creates objects from a CSV or JSON lines file. */
export function ImportDialog({ place, columns, onClose, onImported }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const [head, setHead] = useState<CsvHead>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [report, setReport] = useState<Report>();
  const [bytes, setBytes] = useState(0);
  const [abort] = useState(() => new AbortController());
  const choose = async (chosen: File | undefined) => {
    setFile(undefined); // until its head is read
    setHead(undefined);
    setReport(undefined);
    if (!chosen?.name.toLowerCase().endsWith('.csv')) return setFile(chosen);
    const read = await readHead(chosen);
    const same = (name: string) => columns.find((each) => each.name === name)?.name ?? '';
    setMapping(Object.fromEntries(read.names.map((name) => [name, same(name)])));
    setHead(read);
    setFile(chosen);
  };
  const run = async () => {
    if (file === undefined) throw new ApiProblem(0, 'The file is being read. Try again.');
    const parts = readParts(file, setBytes);
    const objects =
      head === undefined ? readLines(parts) : readCsv(parts, head, { mapping, columns });
    const end = await sendAll(place, { objects, signal: abort.signal }, setReport);
    onImported();
    notify(`${counted(end.done, 'object')} imported.`);
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
            <FileField
              label="CSV or JSON lines file"
              accept=".csv,.jsonl,.ndjson,.json"
              onFile={(file) => attempt(() => choose(file))}
            />
            {head !== undefined && (
              <ColumnChoices
                names={head.names}
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

interface ColumnChoicesProps {
  /** Of the columns of the file. */
  readonly names: readonly string[];
  readonly mapping: Mapping;
  readonly columns: readonly Column[];
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

function ReportView({ report: { done, failed, failures } }: { readonly report: Report }) {
  return (
    <>
      <p role="status">
        {done} imported{failed > 0 && `, ${failed} not imported`}.
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

interface Source {
  readonly objects: AsyncGenerator<ReadObject>;
  readonly signal: AbortSignal;
}

/** Sends objects in batches, each as soon as it is full; the file is read on when its response is there. */
async function sendAll(
  place: ObjectsPlace,
  { objects, signal }: Source,
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
    const problems = await sendPart(place, full);
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
    const size = JSON.stringify(object.values).length;
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
async function sendPart(place: ObjectsPlace, part: readonly Sendable[]): Promise<string[]> {
  if (part.length === 0) return [];
  const path = joined(at`/v1.1/`, objectsPath(place));
  const items = part.map(({ values }) => ({ method: 'POST' as const, path, body: values }));
  const entries = await sendBatch(place.instance, items);
  return entries.flatMap((entry, index) => {
    const reason = failureOf(entry);
    return reason === undefined ? [] : [`line ${part[index]?.line}: ${reason}`];
  });
}
