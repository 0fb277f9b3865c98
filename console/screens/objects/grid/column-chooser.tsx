import { CheckField } from '../../../parts/form.tsx';
import { Popover } from '../../../parts/popover.tsx';
import type { ObjectColumn } from '../object-data.ts';

interface ColumnChooserProps {
  readonly columns: readonly ObjectColumn[];
  readonly shown: readonly ObjectColumn[];
  readonly onShown: (names: readonly string[]) => void;
}

/** Chooses the columns; only those that are shown are loaded. */
export function ColumnChooser({ columns, shown, onShown }: ColumnChooserProps) {
  const toggle = (column: ObjectColumn) => {
    const isShown = shown.includes(column);
    const next = columns.filter((each) => (each === column ? !isShown : shown.includes(each)));
    onShown(next.map(({ name }) => name));
  };
  const list = (wanted: boolean) =>
    columns
      .filter(({ isSystem, name }) => isSystem === wanted && name !== 'id')
      .map((column) => (
        <CheckField
          key={column.name}
          label={column.name}
          isChecked={shown.includes(column)}
          onChecked={() => toggle(column)}
        />
      ));
  return (
    <Popover icon="columns" text="Columns">
      {() => (
        <>
          <fieldset class="bare">
            <legend>Fields of the class</legend>
            {list(false)}
          </fieldset>
          <fieldset class="bare">
            <legend>System fields</legend>
            {list(true)}
          </fieldset>
        </>
      )}
    </Popover>
  );
}
