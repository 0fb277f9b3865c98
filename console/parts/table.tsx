import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface TableColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Digits, aligned at the right. */
  readonly isNumber?: boolean;
  /** Buttons and links: they need no label on a card. */
  readonly isActions?: boolean;
}

/** Returns the last column of a table: the buttons and links of each row. */
export function actionsColumn<Row>(cell: TableColumn<Row>['cell']): TableColumn<Row> {
  return { name: 'Actions', cell, isActions: true };
}

/** A table's contents. */
export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  /** The first one names the row. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

/** A table; in narrow windows each row is a card. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns;
  if (first === undefined) return null;
  return (
    // a wide table scrolls in its own box, also by keyboard
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus
    <section class="table-box" tabIndex={0} aria-label={caption}>
      <table class="cards">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first.cell(row)}</th>
              {others.map(({ name, cell, isNumber, isActions }) => (
                <td
                  key={name}
                  data-label={isActions ? undefined : name}
                  class={isNumber ? 'number' : ''}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
