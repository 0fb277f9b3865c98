import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { at } from '../../shared/values/text/request-path.ts';
import { sendDelayed } from '../core/delayed.ts';
import { clearExchanges } from '../core/exchanges.ts';
import { dismissProblems } from '../core/notices.ts';
import { instanceOfLocation } from '../core/place-names.ts';
import {
  currentPath,
  hereText,
  href,
  leaveTo,
  mayLeave,
  navigate,
  type ScreenProps,
} from '../core/router.ts';
import { isSignedIn, lens, session } from '../core/session.ts';
import { suspended } from '../core/suspension.ts';
import { receiveSession, signOutTabs } from '../core/tabs.ts';
import { nextTheme, theme } from '../core/theme.ts';
import { Button } from '../parts/button.tsx';
import { Confirmation } from '../parts/dialog.tsx';
import { Skeleton } from '../parts/loaded.tsx';
import { Mark } from '../parts/mark.tsx';
import { NoticeList } from '../parts/notice-list.tsx';
import { ScreenFrame } from '../parts/page.tsx';
import { findScreen } from './screens.ts';
import { EndView, SideBar } from './side-bar.tsx';

/** The frame around every screen. */
export function Shell() {
  const instance = instanceOfLocation(currentPath.value);
  useEffect(() => dismissProblems(), [currentPath.value]);
  return (
    <>
      <Header instance={instance} />
      <div class={instance === undefined ? 'frame' : 'frame with-navigation'}>
        {instance !== undefined && isSignedIn.value && <SideBar instance={instance} />}
        <main>
          {instance !== undefined && <SuspensionNotice instance={instance} />}
          <LensNotice />
          <CurrentScreen />
        </main>
      </div>
      <NoticeList />
      <Confirmation />
    </>
  );
}

function Header({ instance }: { readonly instance: string | undefined }) {
  return (
    <header class="top">
      <Button
        class="skip"
        onAct={() => document.querySelector<HTMLElement>('main h1')?.focus()}
        text="Skip to the content"
      />
      <a class="brand" href="#/">
        <Mark />
        Groundwork
      </a>
      {instance !== undefined && (
        <a
          class="instance"
          href={href(
            lens.value?.instance === instance ? at`/i/${instance}/data` : at`/i/${instance}`,
          )}
        >
          {instance}
        </a>
      )}
      <span class="spring" />
      <Button
        class="icon"
        onAct={nextTheme}
        aria-label={`Colours: ${theme.value}`}
        icon={theme.value}
      />
      {session.value !== undefined && (
        <>
          <a href="#/account" class="who">
            {session.value.email}
          </a>
          <Button class="small" onAct={leave} text="Sign out" />
        </>
      )}
    </header>
  );
}

async function leave(): Promise<void> {
  if (!(await mayLeave())) return;
  void signOutTabs();
  leaveTo(at`/sign-in`);
}

/** Says that the operator has stopped the instance, and what still works. */
function SuspensionNotice({ instance }: { readonly instance: string }) {
  if (suspended.value !== instance) return null;
  return (
    <div class="suspended" role="status">
      <strong>This instance is suspended.</strong> Its operator has stopped it: nothing runs, and
      nothing can be changed. Nothing is deleted. The owner can look at everything, make{' '}
      <a href={href(at`/i/${instance}/backups`)}>backups</a> and export.
    </div>
  );
}

/** Reminds that the screens show what somebody else may see. */
function LensNotice() {
  const view = lens.value;
  if (view === undefined) return null;
  return (
    <div class="lens" role="status">
      <span>
        Viewing {view.instance} as {view.label}.
      </span>
      <EndView text="Back to your own view" />
    </div>
  );
}

interface LoadedScreen {
  readonly base: string;
  readonly Screen: FunctionComponent<ScreenProps>;
}

function CurrentScreen() {
  const found = findScreen(currentPath.value);
  const base = found?.base ?? '';
  const [loaded, setLoaded] = useState<LoadedScreen>();
  const [isBroken, setBroken] = useState(false);
  const isAllowed = found?.isOpen === true || isSignedIn.value;
  useEffect(() => {
    sendDelayed();
    clearExchanges();
    let isCurrent = true;
    if (isAllowed) {
      found?.load().then(
        ({ Screen }) => isCurrent && setLoaded({ base, Screen }),
        () => isCurrent && setBroken(true),
      );
    } else {
      const here = hereText();
      const next = here === '/' ? undefined : here;
      void receiveSession().then(() => {
        const isOpen = findScreen(currentPath.peek())?.isOpen === true; // signing out has opened it
        if (isCurrent && !isOpen && !isSignedIn.peek()) navigate(at`/sign-in`, { next });
      });
    }
    return () => {
      isCurrent = false;
    };
  }, [base, isAllowed]);
  if (found === undefined) return <MissingScreen />;
  if (isBroken) return <BrokenScreen />;
  if (loaded === undefined || loaded.base !== base || !isAllowed) {
    return <Skeleton />;
  }
  const view = lens.value;
  // another view shows other data: everything is loaded again
  const key = `${base} ${view?.apiKey} ${view?.userKey}`;
  return (
    <Boundary key={key}>
      <loaded.Screen names={found.names} below={found.below} />
    </Boundary>
  );
}

/** Shows a message in place of a screen that fails. */
function Boundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <ScreenFrame title="Something went wrong">
      <p>The address may have a wrong value. The browser console has the details.</p>
      <p>
        <a href="#/">Your instances</a>
      </p>
    </ScreenFrame>
  );
}

function MissingScreen() {
  return (
    <ScreenFrame title="Page not found">
      <p>
        <a href="#/">Your instances</a>
      </p>
    </ScreenFrame>
  );
}

function BrokenScreen() {
  return (
    <ScreenFrame title="This screen could not be loaded">
      <p>The server was updated, or cannot be reached.</p>
      <Button class="main" onAct={() => location.reload()} text="Reload" />
    </ScreenFrame>
  );
}
