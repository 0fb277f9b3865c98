import { Component } from 'preact';
import { CellEditor } from '../edit/cell-editor.tsx';
import {
  type ClassReference,
  drawerHref,
  type ObjectColumn,
  type ObjectRecord,
} from '../object-data.ts';
import { type ActiveCell, cellId } from './active-cell.ts';
import { Cell } from './cell.tsx';
import type { Edits } from './edits.ts';
import type { LoadedRow } from './rows.ts';

interface GridRowProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly row: LoadedRow;
  readonly index: number;
  /** Of the cell that the keyboard works on, when it is in this row. */
  readonly activeColumn: number | undefined;
  readonly maySelect: boolean;
  readonly isSelected: boolean;
  /** It is in the drawer. */
  readonly isOpen: boolean;
  readonly onToggle: (id: number) => void;
  readonly onActivate: (cell: ActiveCell) => void;
  /** Fields that are edited. */
  readonly editedNames: readonly string[] | undefined;
  readonly edits: Edits;
  readonly onEdit: (column: ObjectColumn) => void;
  /** A field is not edited any more. */
  readonly onEnd: (name: string) => void;
  readonly onSaved: (object: ObjectRecord, name: string) => void;
}

/** A row. It renders only when what it shows has changed: while the user scrolls, most rows have not. */
export class GridRow extends Component<GridRowProps> {
  override shouldComponentUpdate(next: GridRowProps): boolean {
    const { row, index, columns, activeColumn, isOpen, editedNames } = this.props;
    const { maySelect, isSelected } = this.props;
    return (
      row !== next.row ||
      index !== next.index ||
      columns !== next.columns ||
      activeColumn !== next.activeColumn ||
      maySelect !== next.maySelect ||
      isSelected !== next.isSelected ||
      isOpen !== next.isOpen ||
      editedNames !== next.editedNames
    );
  }

  override render() {
    const { ofClass, columns, row, index, activeColumn, isOpen } = this.props;
    const { maySelect, isSelected, onToggle } = this.props;
    const { id } = row.object;
    return (
      <tr aria-rowindex={index + 2} aria-selected={isSelected} class={isOpen ? 'open' : ''}>
        {maySelect && (
          <td class="select">
            <input
              type="checkbox"
              aria-label={`Select object ${id}`}
              checked={isSelected}
              onChange={() => onToggle(id)}
            />
          </td>
        )}
        <th
          scope="row"
          id={cellId({ row: index, column: 0 })}
          class={activeColumn === 0 ? 'active' : ''}
        >
          <a href={drawerHref(ofClass, id)}>{id}</a>
        </th>
        {columns.map((column, offset) => this.renderCell(column, offset + 1))}
      </tr>
    );
  }

  private renderCell(column: ObjectColumn, position: number) {
    const { ofClass, row, index, activeColumn, editedNames, edits } = this.props;
    const { onActivate, onEdit, onEnd, onSaved } = this.props;
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
        onDblClick={() => onEdit(column)}
      >
        {editedNames?.includes(name) ? (
          <CellEditor
            ofClass={ofClass}
            row={row}
            column={column}
            draft={edits.draftOf(row.object.id, name)}
            onDraft={(draft) => edits.keep(row.object.id, name, draft)}
            onSaved={(object) => onSaved(object, name)}
            onClose={() => onEnd(name)}
          />
        ) : (
          <Cell ofClass={ofClass} column={column} value={row.object[name]} isCut={isCut} />
        )}
        {isCut && (
          <a
            class="more"
            href={drawerHref(ofClass, row.object.id, name)}
            aria-label={`more of ${name} of object ${row.object.id}`}
          >
            more
          </a>
        )}
      </td>
    );
  }
}
