import Archive from 'lucide/dist/esm/icons/archive.mjs';
import Bell from 'lucide/dist/esm/icons/bell.mjs';
import ChartColumn from 'lucide/dist/esm/icons/chart-column.mjs';
import Check from 'lucide/dist/esm/icons/check.mjs';
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import ChevronUp from 'lucide/dist/esm/icons/chevron-up.mjs';
import Clock from 'lucide/dist/esm/icons/clock.mjs';
import Code from 'lucide/dist/esm/icons/code.mjs';
import Columns3 from 'lucide/dist/esm/icons/columns-3.mjs';
import Copy from 'lucide/dist/esm/icons/copy.mjs';
import Database from 'lucide/dist/esm/icons/database.mjs';
import Download from 'lucide/dist/esm/icons/download.mjs';
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs';
import FileText from 'lucide/dist/esm/icons/file-text.mjs';
import HeartPulse from 'lucide/dist/esm/icons/heart-pulse.mjs';
import House from 'lucide/dist/esm/icons/house.mjs';
import KeyRound from 'lucide/dist/esm/icons/key-round.mjs';
import Link from 'lucide/dist/esm/icons/link.mjs';
import ListFilter from 'lucide/dist/esm/icons/list-filter.mjs';
import LogIn from 'lucide/dist/esm/icons/log-in.mjs';
import Menu from 'lucide/dist/esm/icons/menu.mjs';
import Moon from 'lucide/dist/esm/icons/moon.mjs';
import Plus from 'lucide/dist/esm/icons/plus.mjs';
import Radio from 'lucide/dist/esm/icons/radio.mjs';
import ScrollText from 'lucide/dist/esm/icons/scroll-text.mjs';
import Settings from 'lucide/dist/esm/icons/settings.mjs';
import Shield from 'lucide/dist/esm/icons/shield.mjs';
import Sun from 'lucide/dist/esm/icons/sun.mjs';
import SunMoon from 'lucide/dist/esm/icons/sun-moon.mjs';
import Table from 'lucide/dist/esm/icons/table-2.mjs';
import Upload from 'lucide/dist/esm/icons/upload.mjs';
import User from 'lucide/dist/esm/icons/user.mjs';
import Users from 'lucide/dist/esm/icons/users.mjs';
import X from 'lucide/dist/esm/icons/x.mjs';
import Zap from 'lucide/dist/esm/icons/zap.mjs';
import { createElement } from 'preact';

/** The icons of the console, by what they stand for. */
export const icons = {
  add: Plus,
  admins: Shield,
  backups: Archive,
  channels: Radio,
  class: Table,
  classes: Database,
  close: X,
  columns: Columns3,
  copy: Copy,
  dark: Moon,
  done: Check,
  endpoints: Link,
  export: Download,
  filter: ListFilter,
  groups: Users,
  health: HeartPulse,
  import: Upload,
  keys: KeyRound,
  light: Sun,
  menu: Menu,
  more: Ellipsis,
  next: ChevronDown,
  overview: House,
  previous: ChevronUp,
  push: Bell,
  requests: ScrollText,
  schedules: Clock,
  scripts: Code,
  settings: Settings,
  signIn: LogIn,
  system: SunMoon,
  templates: FileText,
  triggers: Zap,
  usage: ChartColumn,
  users: User,
} as const;

/** Name of an icon. */
export type IconName = keyof typeof icons;

/** An icon of 16 px in the colour of its text; the text next to it, or the label of the button, names it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes], index) =>
        createElement(tag, { key: index, ...attributes }),
      )}
    </svg>
  );
}
