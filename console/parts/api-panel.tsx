import { useState } from 'preact/hooks';
import { exchanges, type RecordedRequest } from '../core/exchanges.ts';
import { CopyButton } from './copy-button.tsx';
import { toCurl, toFetch } from './request-text.ts';

/** Shows the requests that the screen made, to copy them. */
export function ApiPanel() {
  const [isOpen, setOpen] = useState(false);
  const made = exchanges.value;
  if (made.length === 0) return null;
  return (
    <details class="api-panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Requests of this screen <span class="soft">({made.length})</span>
      </summary>
      {isOpen && (
        <>
          <p class="about">
            Everything here is done with the public interface. Replace <code>$ACCOUNT_KEY</code>{' '}
            with your key.
          </p>
          <ol class="plain">
            {made.map((exchange) => (
              <ExchangeItem
                key={`${exchange.request.method} ${exchange.url}`}
                exchange={exchange}
              />
            ))}
          </ol>
        </>
      )}
    </details>
  );
}

function ExchangeItem({ exchange }: { readonly exchange: RecordedRequest }) {
  const { request, url, status, durationMs } = exchange;
  return (
    <li>
      <p class="exchange">
        <strong class="mono">{request.method}</strong> <code>{shortPath(url)}</code>{' '}
        <span class={status < 400 ? 'good' : 'bad'}>{status}</span>{' '}
        <span class="soft">{Math.round(durationMs)} ms</span>
      </p>
      <div class="actions">
        <CopyButton text={() => toCurl(request)} label="Copy as curl" />
        <CopyButton text={() => toFetch(request)} label="Copy as JavaScript" />
      </div>
    </li>
  );
}

function shortPath(url: string): string {
  const { pathname, search } = new URL(url);
  return decodeURIComponent(`${pathname}${search}`.replace(/%(?![0-9A-F]{2})/gi, '%25'));
}
