import type { ComponentChildren } from 'preact';
import { counted, formatNumber } from '../../../core/format.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileField, Form } from '../../../parts/form.tsx';
import type { FileCheck } from './check-objects.ts';
import type { ImportReport } from './send-objects.ts';

/** Ends of the names of files that can be imported. */
export const accept = '.csv,.jsonl,.ndjson,.json';

interface FileProblemsProps {
  readonly check: FileCheck;
}

/** What is wrong with the rows of a file. */
export function FileProblems({ check: { rows, bad, problems } }: FileProblemsProps) {
  return (
    <>
      <p role="status">
        {formatNumber(bad)} of {counted(rows, 'row')} cannot be imported
        {bad > problems.length && `; the first ${problems.length}`}:
      </p>
      <Lines label="Rows that cannot be imported" lines={problems} />
    </>
  );
}

interface FinishedProps extends ReportViewProps {
  /** Of another attempt. */
  readonly progress: ComponentChildren;
  readonly isBusy: boolean;
  /** Takes the file again when it could not be read to its end. */
  readonly onRenew: (file: File | undefined) => void;
  readonly onClose: () => void;
  /** Imports another file. */
  readonly onAgain: () => void;
  /** Imports what was not imported. */
  readonly onRetry: () => Promise<void>;
  /** Writes it into a file. */
  readonly onSave: () => Promise<void>;
}

/** What has become of the rows of a file, and what can be done with the others. */
export function Finished(props: FinishedProps) {
  const { progress, isBusy, onRenew, onClose, onAgain, onRetry, onSave, ...report } = props;
  const save = ['Download these rows', onSave] as const;
  const retry = ['Retry these rows', onRetry] as const;
  const [first, second] = report.report.mayPass ? [retry, save] : [save, retry];
  const { end, unread } = report.report;
  return (
    <Dialog
      title={end === undefined ? 'Import finished' : 'Import stopped'}
      onClose={onClose}
      isWide
    >
      <Form
        verb={first[0]}
        onSend={first[1]}
        actions={
          <>
            <Button disabled={isBusy} onAct={second[1]} text={second[0]} />
            <Button disabled={isBusy} onAct={onAgain} text="Import another file" />
            <Button onAct={onClose} text="Done" />
          </>
        }
      >
        {() => (
          <>
            <ReportView {...report} />
            {unread !== undefined && (
              <FileField
                label="The same file"
                hint="Retry sends only what was not imported."
                accept={accept}
                onFile={onRenew}
              />
            )}
            {progress}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Says which times without a zone were read as UTC. */
export function utcNote(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` Times without a zone were read as UTC: ${fields.join(', ')}.`;
}

interface ReportViewProps {
  readonly report: ImportReport;
  /** Fields with times that name no zone. */
  readonly inUtc: readonly string[];
}

/** How many rows were imported, and why others were not. */
export function ReportView({
  report: { done, failed, failures, end, unread },
  inUtc,
}: ReportViewProps) {
  return (
    <>
      <p role="status">
        {formatNumber(done)} imported
        {failed.size > 0 && `, ${formatNumber(failed.size)} not imported`}.{utcNote(inUtc)}
      </p>
      {end !== undefined && (
        <p>
          {unread?.message} Row {end} and those after it were not {unread ? 'read' : 'sent'}.
        </p>
      )}
      {failed.size > failures.length && <p>The first {failures.length} that were not imported:</p>}
      <Lines label="Rows that were not imported" lines={failures} />
    </>
  );
}

interface LinesProps {
  readonly label: string;
  readonly lines: readonly string[];
}

function Lines({ label, lines }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus
    <section class="row-problems" tabIndex={0} aria-label={label}>
      <ul class="plain">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
