import { Component } from 'preact';
import { href } from '../../../core/router.ts';
import { CellEditor } from '../edit/cell-editor.tsx';
import { type Column, type DataObject, type ObjectsPlace, objectPlace } from '../object-data.ts';
import { type ActiveCell, cellId } from './active-cell.ts';
import { Cell } from './cell.tsx';
import type { Row } from './rows.ts';
import type { CutValue } from './whole-value.tsx';

interface GridRowProps {
  readonly place: ObjectsPlace;
  readonly columns: readonly Column[];
  readonly row: Row;
  readonly index: number;
  /** Of the cell that the keyboard works on, when it is in this row. */
  readonly activeColumn: number | undefined;
  readonly isSelected: boolean;
  readonly onToggle: (id: number) => void;
  readonly onActivate: (cell: ActiveCell) => void;
  readonly onShowWhole: (value: CutValue) => void;
  /** Field that is edited. */
  readonly editedName: string | undefined;
  readonly onEdit: (name: string | undefined) => void;
  readonly onSaved: (object: DataObject) => void;
}

/** A row. It renders only when what it shows has changed: while the user scrolls, most rows have not. */
export class GridRow extends Component<GridRowProps> {
  override shouldComponentUpdate(next: GridRowProps): boolean {
    const { row, index, columns, activeColumn, isSelected, editedName } = this.props;
    return (
      row !== next.row ||
      index !== next.index ||
      columns !== next.columns ||
      activeColumn !== next.activeColumn ||
      isSelected !== next.isSelected ||
      editedName !== next.editedName
    );
  }

  override render() {
    const { place, columns, row, index, activeColumn, isSelected, onToggle } = this.props;
    const { id } = row.object;
    return (
      <tr aria-rowindex={index + 2} aria-selected={isSelected}>
        <td class="select">
          <input
            type="checkbox"
            aria-label={`Select object ${id}`}
            checked={isSelected}
            onChange={() => onToggle(id)}
          />
        </td>
        <th
          scope="row"
          id={cellId({ row: index, column: 0 })}
          class={activeColumn === 0 ? 'active' : ''}
        >
          <a href={href(objectPlace(place, id))}>{id}</a>
        </th>
        {columns.map((column, offset) => this.renderCell(column, offset + 1))}
      </tr>
    );
  }

  private renderCell(column: Column, position: number) {
    const { place, row, index, activeColumn, editedName } = this.props;
    const { onActivate, onShowWhole, onEdit, onSaved } = this.props;
    const { name, type } = column;
    const isCut = row.cut.includes(name);
    const isNumber = type === 'integer' || type === 'float';
    const classes = [isNumber && 'number', isCut && 'cut', activeColumn === position && 'active'];
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the focus and takes the keys
      <td
        key={name}
        id={cellId({ row: index, column: position })}
        class={classes.filter(Boolean).join(' ')}
        data-label={name}
        onClick={() => onActivate({ row: index, column: position })}
        onDblClick={() => !column.isSystem && onEdit(name)}
      >
        {editedName === name && (
          <CellEditor
            place={place}
            row={row}
            column={column}
            onSaved={onSaved}
            onClose={() => onEdit(undefined)}
          />
        )}
        <Cell place={place} column={column} value={row.object[name]} isCut={isCut} />
        {isCut && (
          <button
            type="button"
            class="link more"
            aria-label={`more of ${name} of object ${row.object.id}`}
            onClick={() => onShowWhole({ id: row.object.id, column })}
          >
            more
          </button>
        )}
      </td>
    );
  }
}
