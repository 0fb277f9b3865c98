import { useState } from 'preact/hooks';
import { listPages } from '../../../core/api.ts';
import { counted } from '../../../core/format.ts';
import { notify } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { CheckField, SelectField } from '../../../parts/form.tsx';
import { gridParameters, type Listing } from '../grid/rows.ts';
import {
  type ClassReference,
  type ObjectColumn,
  type ObjectRecord,
  objectsPath,
} from '../object-data.ts';
import { type FileFormat, headOf, objectLine } from './formats.ts';
import { saveText } from './sink.ts';

interface ExportDialogProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  /** Its filter, order and columns. */
  readonly listing: Listing;
  readonly onClose: () => void;
}

const pageSize = 100;
const firstChoice = { format: 'csv' as FileFormat, choice: 'own', isForSheets: true };

/** Writes the objects that match into a file, page by page. */
export function ExportDialog({ ofClass, columns, listing, onClose }: ExportDialogProps) {
  const [written, setWritten] = useState(0);
  const [abort] = useState(() => new AbortController());
  const close = () => {
    abort.abort();
    onClose();
  };
  const run = async ({ format, choice, isForSheets }: typeof firstChoice) => {
    const chosen = choose(choice, columns, listing.columns);
    const job = { format, columns: chosen, isForSheets, signal: abort.signal };
    const count = await exportAll(
      { ofClass, listing: { ...listing, columns: chosen } },
      job,
      setWritten,
    );
    if (count === undefined) return;
    notify(`${counted(count, 'object')} exported.`);
    onClose();
  };
  return (
    <Dialog title="Export" onClose={close}>
      <p>
        {listing.query === undefined
          ? 'All objects of the class.'
          : 'The objects that the filter matches.'}
      </p>
      <DraftForm start={firstChoice} verb="Export" onSend={run} onCancel={close}>
        {({ values, text, check }) => (
          <>
            <SelectField
              label="Format"
              options={[
                ['csv', 'CSV'],
                ['jsonl', 'JSON lines'],
              ]}
              {...text('format')}
            />
            <SelectField
              label="Columns"
              options={[
                ['own', 'Fields of the class'],
                ['shown', 'Visible columns'],
                ['all', 'All fields, including system fields'],
              ]}
              {...text('choice')}
            />
            {values.format === 'csv' && (
              <CheckField
                label="Safe for spreadsheets"
                hint="Text that would run as a formula gets a ' before it. Without this, texts are exact."
                {...check('isForSheets')}
              />
            )}
            <p role="status">{written > 0 && `${counted(written, 'object')} written…`}</p>
          </>
        )}
      </DraftForm>
    </Dialog>
  );
}

interface ExportJob {
  readonly format: FileFormat;
  readonly columns: readonly ObjectColumn[];
  readonly isForSheets: boolean;
  readonly signal: AbortSignal;
}

/** Writes all pages; without a file when one of them fails. Returns the number of objects; undefined when cancelled. */
async function exportAll(
  { ofClass, listing }: Pick<ExportDialogProps, 'ofClass' | 'listing'>,
  { format, columns, isForSheets, signal }: ExportJob,
  onWritten: (count: number) => void,
): Promise<number | undefined> {
  const query = { ...gridParameters(listing), page_size: pageSize };
  let count = 0;
  const parts = async function* () {
    yield headOf(format, columns, isForSheets);
    for await (const page of listPages<ObjectRecord>(objectsPath(ofClass), query, signal)) {
      const lines = page.map((object) => objectLine(format, { object, columns, isForSheets }));
      yield lines.join('');
      count += page.length;
      onWritten(count);
    }
  };
  const isSaved = await saveText(`${ofClass.className}.${format}`, parts(), signal);
  return isSaved ? count : undefined;
}

function choose(
  choice: string,
  columns: readonly ObjectColumn[],
  shown: readonly ObjectColumn[],
): readonly ObjectColumn[] {
  if (choice === 'all') return columns;
  return choice === 'shown' ? shown : columns.filter(({ isSystem }) => !isSystem);
}
