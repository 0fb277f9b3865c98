import { at, type RequestPath } from '../../shared/values/text/request-path.ts';
import { currentLocation, href } from '../core/router.ts';

/** A tab of a screen: a link to a place of its own. */
export interface Tab {
  readonly text: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

interface TabsProps {
  /** What the tabs show, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
}

/** The tabs of a screen. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.text} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.text}
        </a>
      ))}
    </nav>
  );
}

/**
 * Returns the tabs of a place that differ in a parameter of its query, and the current one: what is typed stays.
 *
 * @param first is shown when the query has none
 */
export function tabsInQuery<Name extends string>(
  place: RequestPath,
  names: readonly [Name, ...Name[]],
  {
    parameter = 'tab',
    first = names[0],
  }: { readonly parameter?: string; readonly first?: Name } = {},
) {
  const query = Object.fromEntries(currentLocation.value.query);
  const current = names.find((name) => name.toLowerCase() === query[parameter]) ?? first;
  const tabs = names.map((text) => ({
    text,
    href: href(place, { ...query, [parameter]: text.toLowerCase() }),
    isCurrent: text === current,
  }));
  return { current, tabs };
}

/** Name of a tab of a class. */
export type ClassTab = keyof ReturnType<typeof placesOfClass>;

/** Returns the tabs of a class. */
export function tabsOfClass(instance: string, name: string, current: ClassTab): readonly Tab[] {
  return Object.entries(placesOfClass(instance, name)).map(([text, place]) => ({
    text,
    href: href(place),
    isCurrent: text === current,
  }));
}

/** Returns the places of the tabs of a class, in their order. */
export function placesOfClass(instance: string, name: string) {
  return {
    Objects: at`/i/${instance}/data/${name}`,
    Structure: at`/i/${instance}/structure/${name}`,
    Rights: at`/i/${instance}/rights/${name}`,
    API: at`/i/${instance}/reference/${name}`,
  };
}
