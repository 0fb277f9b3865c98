import { useLoad } from '../../../core/load.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { LoadedData } from '../../../parts/loaded.tsx';
import { type ClassReference, type ObjectColumn, readObject, valueText } from '../object-data.ts';

/** A value of which the grid has only the start. */
export interface CutValue {
  readonly id: number;
  readonly column: ObjectColumn;
}

interface WholeValueProps extends CutValue {
  readonly ofClass: ClassReference;
  readonly onClose: () => void;
}

/** Loads and shows a long value. */
export function WholeValue({ ofClass, id, column, onClose }: WholeValueProps) {
  const { name } = column;
  const value = useLoad(
    async (signal) => {
      const object = await readObject(ofClass, id, { query: { fields: name }, signal });
      return valueText(column, object[name]);
    },
    [id, name],
  );
  return (
    <Dialog title={`${name} of object ${id}`} onClose={onClose} isWide>
      <LoadedData of={value}>
        {(text) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus */}
            <pre class="whole" tabIndex={0}>
              {text}
            </pre>
            <CopyButton text={() => text} label="Copy" />
          </>
        )}
      </LoadedData>
    </Dialog>
  );
}
