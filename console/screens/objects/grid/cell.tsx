import type { ComponentChildren } from 'preact';
import { at } from '../../../../shared/values/text/request-path.ts';
import { href } from '../../../core/router.ts';
import { isWebAddress, SafeLink } from '../../../parts/safe-link.tsx';
import { Time } from '../../../parts/time.tsx';
import { useLabel } from '../labels.ts';
import {
  bareValue,
  type ClassReference,
  drawerHref,
  type ObjectColumn,
  objectLocation,
  targetClass,
  valueText,
} from '../object-data.ts';

interface CellProps {
  readonly ofClass: ClassReference;
  readonly column: ObjectColumn;
  readonly value: unknown;
  /** The value is the start of its text only. */
  readonly isCut: boolean;
}

const maxLinks = 4; // of a relation

/** A value in the grid, on one line. */
export function Cell({ ofClass, column, value, isCut }: CellProps): ComponentChildren {
  if (value === null || value === undefined) return <span class="soft">–</span>;
  if (isCut) return <>{String(value)}…</>;
  const text = valueText(column, value);
  switch (column.type) {
    case 'boolean':
      return <BooleanMark isTrue={value === true} />;
    case 'datetime':
      return <Time value={text} isExact />;
    case 'file':
      return <FileCell url={text} />;
    case 'reference':
      return <TargetLink ofClass={ofClass} column={column} id={Number(bareValue(value))} />;
    case 'relation':
      return <Links ofClass={ofClass} column={column} value={bareValue(value)} />;
    case 'array':
    case 'object':
      return <code>{text}</code>;
    default:
      return <>{text}</>;
  }
}

function BooleanMark({ isTrue }: { readonly isTrue: boolean }) {
  return (
    <span role="img" aria-label={String(isTrue)} class={isTrue ? '' : 'soft'}>
      {isTrue ? '✓' : '✗'}
    </span>
  );
}

interface TargetLinkProps {
  readonly ofClass: ClassReference;
  readonly column: ObjectColumn;
  readonly id: number;
}

/** A link to the object or user that a value refers to, with its label. */
export function TargetLink({ ofClass, column, id }: TargetLinkProps) {
  const className = targetClass(column, ofClass);
  const label = useLabel(className, id) ?? '';
  const { instance } = ofClass;
  if (className === undefined) {
    return <a href={href(at`/i/${instance}/users/${id}`)}>{`User ${id} ${label}`.trim()}</a>;
  }
  const isHere = className === ofClass.className;
  const place = objectLocation({ instance, className }, id);
  return <a href={isHere ? drawerHref(ofClass, id) : href(place)}>{`#${id} ${label}`.trim()}</a>;
}

function Links({ value, ...target }: Omit<TargetLinkProps, 'id'> & { readonly value: unknown }) {
  const ids = Array.isArray(value) ? value.map(Number) : [];
  return (
    <>
      {ids.slice(0, maxLinks).map((id) => (
        <span key={id}>
          <TargetLink {...target} id={id} />{' '}
        </span>
      ))}
      {ids.length > maxLinks && <span class="soft">and {ids.length - maxLinks} more</span>}
    </>
  );
}

function FileCell({ url }: { readonly url: string }) {
  return (
    <SafeLink url={url}>
      {isImage(url) && <img class="thumbnail" src={url} alt="" loading="lazy" decoding="async" />}
      {fileName(url)}
    </SafeLink>
  );
}

/** Checks whether a browser shows the file at an address as a picture. */
export function isImage(url: string): boolean {
  return (
    isWebAddress(url) && /\.(png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i.test(new URL(url).pathname)
  );
}

/** Returns the kind of a file: names of stored files are random. */
function fileName(url: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(url)?.[1];
  return extension === undefined ? 'File' : `${extension.toUpperCase()} file`;
}
