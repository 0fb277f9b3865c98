import { useEffect, useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { useClassNames } from '../core/class-names.ts';
import { currentPath, href, mayLeave } from '../core/router.ts';
import { lens } from '../core/session.ts';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { placesOfClass } from '../parts/tabs.tsx';
import { navigation } from './navigation.ts';

const searchedFrom = 15; // classes

/** The screens of an instance and its classes; in narrow windows behind a button. */
export function SideBar({ instance }: { readonly instance: string }) {
  const [isOpen, setOpen] = useState(false);
  const current = currentPath.value;
  useEffect(() => setOpen(false), [current]);
  const home = at`/i/${instance}`;
  const isView = lens.value?.instance === instance; // it opens classes and objects only
  return (
    <nav class="side" aria-label={`Instance ${instance}`}>
      <Button
        class="side-toggle"
        aria-expanded={isOpen}
        onAct={() => setOpen(!isOpen)}
        icon="menu"
        text="Menu"
      />
      <div class={isOpen ? 'groups open' : 'groups'}>
        {!isView && (
          <ul class="plain">
            <SideLink to={home} icon="overview" text="Overview" isHere={current === home} />
          </ul>
        )}
        <ClassLinks instance={instance} current={current} />
        {isView && <EndView text="End this view" />}
        {(isView ? [] : navigation).map(({ title, screens }) => (
          <div key={title} class="group">
            <h2>{title}</h2>
            <ul class="plain">
              {screens.map(({ path, text, icon }) => {
                const to = at`/i/${instance}/${path}`;
                return <SideLink key={path} {...{ to, icon, text }} isHere={isAt(to, current)} />;
              })}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/** Leads back to the view of the account. */
export function EndView({ text }: { readonly text: string }) {
  const end = async () => {
    if (await mayLeave()) lens.value = undefined;
  };
  return <Button class="small" onAct={end} text={text} />;
}

interface ClassLinksProps {
  readonly instance: string;
  readonly current: string;
}

function ClassLinks({ instance, current }: ClassLinksProps) {
  const names = useClassNames(instance);
  const [search, setSearch] = useState('');
  const isLong = names.length >= searchedFrom;
  const wanted = isLong ? search.trim().toLowerCase() : '';
  const found = names.filter((name) => name.includes(wanted));
  const all = at`/i/${instance}/data`;
  return (
    <div class="group">
      <h2>Data</h2>
      <ul class="plain">
        <SideLink to={all} icon="classes" text="Classes" isHere={current === all} />
      </ul>
      {isLong && (
        <input
          type="search"
          class="class-search"
          aria-label="Find a class"
          placeholder="Find a class"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul class="plain classes">
        {found.map((name) => (
          <SideLink
            key={name}
            to={at`/i/${instance}/data/${name}`}
            icon="class"
            text={name}
            isHere={Object.values(placesOfClass(instance, name)).some((place) =>
              isAt(place, current),
            )}
          />
        ))}
      </ul>
    </div>
  );
}

function isAt(place: RequestPath, current: string): boolean {
  return current === place || current.startsWith(below(place)`/`);
}

interface SideLinkProps {
  readonly to: RequestPath;
  readonly icon: IconName;
  readonly text: string;
  readonly isHere: boolean;
}

function SideLink({ to, icon, text, isHere }: SideLinkProps) {
  return (
    <li>
      <a href={href(to)} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        <span>{text}</span>
      </a>
    </li>
  );
}
