import { useEffect } from 'preact/hooks';
import { guardLocation } from '../core/router.ts';
import { confirm } from './dialog.tsx';

/** Asks before unsaved changes are lost: to another screen, at the sign-out, and when the tab is closed. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    const release = guardLocation(() =>
      confirm({
        title: 'Leave without saving',
        text: 'Your changes are not saved. They are lost when you leave this screen.',
        verb: 'Leave without saving',
      }),
    );
    return () => {
      removeEventListener('beforeunload', warn);
      release();
    };
  }, [isChanged]);
}
