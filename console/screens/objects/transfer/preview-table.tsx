import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { maxCellLength, type ObjectColumn } from '../object-data.ts';
import { type FilePreview, type Mapping, valueProblem } from './read-file.ts';

interface PreviewTableProps {
  readonly preview: FilePreview;
  readonly mapping: Mapping;
  /** Fields that can be written. */
  readonly fields: readonly ObjectColumn[];
  /** Chooses the field of a column of the file; absent: names of the file are those of fields. */
  readonly onMapping: ((mapping: Mapping) => void) | undefined;
}

/** The first rows of a file, with the field and type of each column, and marks where a value does not fit. */
export function PreviewTable({ preview, mapping, fields, onMapping }: PreviewTableProps) {
  const { names, rows } = preview;
  const columnOf = (name: string) => fields.find((field) => field.name === mapping[name]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus
    <section class="table-box cells" tabIndex={0} aria-label="First rows of the file">
      <table>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
                {onMapping !== undefined && (
                  <select
                    aria-label={name}
                    value={mapping[name] ?? ''}
                    onChange={({ currentTarget: { value } }) =>
                      onMapping({ ...mapping, [name]: value })
                    }
                  >
                    <option value="">Leave out</option>
                    {fields.map((field) => (
                      <option key={field.name}>{field.name}</option>
                    ))}
                  </select>
                )}
                <span class="hint">{columnOf(name)?.type ?? 'Not imported'}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {names.map((name) => (
                <PreviewCell key={name} column={columnOf(name)} value={row[name]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PreviewCellProps {
  readonly column: ObjectColumn | undefined;
  readonly value: unknown;
}

function PreviewCell({ column, value = '' }: PreviewCellProps) {
  if (column === undefined) return <td class="soft">{textOf(value)}</td>;
  const problem = valueProblem(column, value);
  return (
    <td class={problem === undefined ? '' : 'bad'} title={problem}>
      {textOf(value)}
      {problem !== undefined && <span class="error">{problem}</span>}
    </td>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : writeExactJson(value);
  return text.slice(0, maxCellLength);
}
