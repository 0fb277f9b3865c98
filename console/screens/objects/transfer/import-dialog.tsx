import { useState } from 'preact/hooks';
import { counted } from '../../../core/counted.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form, SelectField } from '../../../parts/form.tsx';
import { failureOf, maxItems, sendBatch } from '../bulk/batches.ts';
import { type Column, type ObjectsPlace, objectsPath } from '../object-data.ts';
import { type Mapping, type ReadObject, readCsv, readHead, readLines } from './read-file.ts';

interface ImportDialogProps {
  readonly place: ObjectsPlace;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
  /** Objects were created. */
  readonly onImported: () => void;
}

interface Report {
  readonly done: number;
  readonly failures: readonly string[];
}

const maxBatchLength = 150_000; // characters: a body has a limit of structure too
const maxFailures = 100; // that are kept

/** Creates objects from a CSV or JSON lines file. */
export function ImportDialog({ place, columns, onClose, onImported }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const [head, setHead] = useState<readonly string[]>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [report, setReport] = useState<Report>();
  const [abort] = useState(() => new AbortController());
  const choose = async (chosen: File | undefined) => {
    setFile(chosen);
    setHead(undefined);
    if (!chosen?.name.toLowerCase().endsWith('.csv')) return;
    const names = await readHead(chosen);
    const same = (name: string) => columns.find((each) => each.name === name)?.name ?? '';
    setMapping(Object.fromEntries(names.map((name) => [name, same(name)])));
    setHead(names);
  };
  const run = async () => {
    if (file === undefined) return;
    const objects = head === undefined ? readLines(file) : readCsv(file, mapping, columns);
    const end = await sendAll(place, { objects, signal: abort.signal }, setReport);
    onImported();
    notify(`${counted(end.done, 'object')} imported.`);
    if (end.failures.length === 0) onClose();
  };
  const close = () => {
    abort.abort();
    onClose();
  };
  const writable = columns.filter(({ name }) => !readOnly.includes(name));
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
            {head !== undefined && <p>Which field does each column of the file fill?</p>}
            {head?.map((name) => (
              <SelectField
                key={name}
                label={name}
                value={mapping[name] ?? ''}
                onValue={(field) => setMapping((last) => ({ ...last, [name]: field }))}
                options={[
                  ['', 'leave out'],
                  ...writable.map((each) => [each.name, each.name] as const),
                ]}
              />
            ))}
            {report !== undefined && <ReportView report={report} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}

const readOnly = ['id', 'created_at', 'updated_at', 'revision'];

function ReportView({ report: { done, failures } }: { readonly report: Report }) {
  return (
    <div role="status">
      <p>{done} imported.</p>
      {failures.length > 0 && <p class="bad">Not imported:</p>}
      <ul>
        {failures.map((failure) => (
          <li key={failure}>{failure}</li>
        ))}
      </ul>
    </div>
  );
}

interface Source {
  readonly objects: AsyncGenerator<ReadObject>;
  readonly signal: AbortSignal;
}

async function sendAll(
  place: ObjectsPlace,
  { objects, signal }: Source,
  onReport: (report: Report) => void,
): Promise<Report> {
  let report: Report = { done: 0, failures: [] };
  const flush = async (part: readonly ReadObject[]) => {
    if (part.length === 0 || signal.aborted) return;
    const path = `/v1.1/${objectsPath(place)}`;
    const items = part.map(({ values }) => ({ method: 'POST' as const, path, body: values }));
    const entries = await sendBatch(place.instance, items);
    const failed = entries.flatMap((entry, index) => {
      const reason = failureOf(entry);
      return reason === undefined ? [] : [`line ${part[index]?.line}: ${reason}`];
    });
    const failures = [...report.failures, ...failed].slice(0, maxFailures);
    report = { done: report.done + part.length - failed.length, failures };
    onReport(report);
  };
  let part: ReadObject[] = [];
  let length = 0;
  for await (const object of objects) {
    const size = JSON.stringify(object.values).length;
    if (part.length === maxItems || length + size > maxBatchLength) {
      await flush(part);
      part = [];
      length = 0;
    }
    part.push(object);
    length += size;
  }
  await flush(part);
  return report;
}
