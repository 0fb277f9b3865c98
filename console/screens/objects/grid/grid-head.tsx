import { Button } from '../../../parts/button.tsx';
import type { ObjectColumn } from '../object-data.ts';
import type { GridProps } from './grid-props.ts';

/** Headings of the grid; those of columns with an order index sort. */
export function GridHead({ columns, rows, orderBy, onOrderBy, ...selection }: GridProps) {
  const { maySelect, selected, onSelect } = selection;
  const isAll = rows.all.length > 0 && rows.all.every(({ object }) => selected.has(object.id));
  const selectAll = () => {
    onSelect(isAll ? new Set() : new Set(rows.all.map(({ object }) => object.id)));
  };
  return (
    <thead>
      <tr>
        {maySelect && (
          <th scope="col">
            <input
              type="checkbox"
              aria-label="Select all loaded objects"
              checked={isAll}
              onChange={selectAll}
            />
          </th>
        )}
        <Heading column={idColumn} orderBy={orderBy} onOrderBy={onOrderBy} />
        {columns.map((column) => (
          <Heading key={column.name} column={column} orderBy={orderBy} onOrderBy={onOrderBy} />
        ))}
      </tr>
    </thead>
  );
}

const idColumn = { name: 'id', type: 'string', maySort: true } as const;

interface HeadingProps extends Pick<GridProps, 'orderBy' | 'onOrderBy'> {
  readonly column: Pick<ObjectColumn, 'name' | 'type' | 'maySort'>;
}

function Heading({ column: { name, type, maySort }, orderBy, onOrderBy }: HeadingProps) {
  const order = orderOf(name, orderBy);
  const isNumber = type === 'integer' || type === 'float';
  return (
    <th scope="col" class={isNumber ? 'number' : ''} {...(maySort && { 'aria-sort': order })}>
      {maySort ? (
        <Button
          class="link"
          onAct={() => onOrderBy(nextOrder(name, order))}
          text={`${name} ${order === 'none' ? '' : order === 'ascending' ? '▲' : '▼'}`}
        />
      ) : (
        name
      )}
    </th>
  );
}

type Order = 'ascending' | 'descending' | 'none';

function orderOf(name: string, orderBy: string | undefined): Order {
  if (orderBy === `-${name}`) return 'descending';
  return orderBy === name || (orderBy === undefined && name === 'id') ? 'ascending' : 'none';
}

function nextOrder(name: string, order: Order): string | undefined {
  if (order === 'none') return name === 'id' ? undefined : name;
  if (order === 'ascending') return `-${name}`;
  return undefined;
}
