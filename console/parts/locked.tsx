import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

const Lock = createContext(false);

interface LockedProps {
  readonly isLocked: boolean;
  readonly children: ComponentChildren;
}

/** Controls that are disabled where the role of the account may not change what they show. */
export function Locked({ isLocked, children }: LockedProps) {
  if (!isLocked) return <>{children}</>;
  return (
    <Lock.Provider value>
      <fieldset class="bare" disabled>
        {children}
      </fieldset>
    </Lock.Provider>
  );
}

/** Returns whether a control is locked, for one that a disabled fieldset does not disable. */
export function useLock(): boolean {
  return useContext(Lock);
}
