import type { ComponentChildren } from 'preact';
import { at } from '../../../shared/values/text/request-path.ts';
import { href } from '../../core/router.ts';
import { ScreenFrame } from '../../parts/page.tsx';
import { type ClassTab, tabsOfClass } from '../../parts/tabs.tsx';

interface ClassFrameProps {
  readonly instance: string;
  /** Of the class. */
  readonly name: string;
  readonly tab: ClassTab;
  readonly about?: string;
  readonly children: ComponentChildren;
}

/** A tab of a class. */
export function ClassFrame({ instance, name, tab, about, children }: ClassFrameProps) {
  return (
    <ScreenFrame
      title={name}
      above={[{ text: 'Classes', href: href(at`/i/${instance}/data`) }]}
      tabs={tabsOfClass(instance, name, tab)}
      about={about}
    >
      {children}
    </ScreenFrame>
  );
}
