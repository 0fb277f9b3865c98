import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * Returns the events of an input for a file. The same file again is no change for a browser, but it may have been
 * edited, or removed from the form.
 */
export function useFileChoice(onFile: (file: File | undefined) => void) {
  const last = useRef<File | undefined>(undefined);
  const choose = ({ currentTarget: { files } }: TargetedEvent<HTMLInputElement>) => {
    const file = files?.[0];
    if (file === last.current) return; // the dialog of the browser was closed
    last.current = file;
    onFile(file);
  };
  return { onChange: choose, onCancel: choose };
}
