import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { confirm } from '../core/confirm.ts';
import { guardLocation } from '../core/router.ts';

/** Elements with changes that are not saved. */
const changedElements = new Set<Element>();

/** Checks whether an element contains changes that are not saved. */
export function hasUnsaved(within: Element | null): boolean {
  return [...changedElements].some((element) => within?.contains(element));
}

/** Asks before the changes in a dialog or on a screen are lost. */
export function confirmLoss(): Promise<boolean> {
  return confirm({
    title: 'Discard your changes?',
    text: 'You have unsaved changes.',
    verb: 'Discard changes',
  });
}

/**
 * Asks before unsaved changes are lost: when another screen is opened, at the sign-out, when the dialog around them is
 * closed, and when the tab is closed.
 *
 * @param within the element that has the changes; absent: the screen
 * @param isKept checks whether nothing is lost when a path is opened
 * @returns a function to call as soon as the changes are saved, before another screen is opened
 */
export function useUnsaved(
  isChanged: boolean,
  within?: RefObject<HTMLElement | null>,
  isKept?: (path: string) => boolean,
): () => void {
  const release = useRef(() => {});
  useEffect(() => {
    if (!isChanged) return undefined;
    release.current = guardChanges(within?.current ?? document.body, isKept);
    return () => release.current();
  }, [isChanged]);
  return () => release.current();
}

function guardChanges(element: Element, isKept?: (path: string) => boolean): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', warn);
  const open = guardLocation(confirmLoss, isKept);
  changedElements.add(element);
  return () => {
    removeEventListener('beforeunload', warn);
    open();
    changedElements.delete(element);
  };
}
