import { useState } from 'preact/hooks';
import { at, checkPath } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { LoadedData } from '../../parts/loaded.tsx';
import type { RoomMessage } from './channel-data.ts';
import { MessageTable } from './message-list.tsx';
import type { TailSource } from './tail.ts';

const pageSize = 20;

/** Messages that are kept, the newest first, page by page. */
export function MessageHistory({ source }: { readonly source: TailSource }) {
  const { instance, channel, room } = source;
  const path = at`instances/${instance}/channels/${channel}/history/`;
  const [position, setPosition] = useState<string>(); // of a page that is not the first
  const page = useLoad<ApiPage<RoomMessage>>(
    (signal) => {
      const first = { path, query: { room, page_size: pageSize } };
      const shown = position === undefined ? first : { path: checkPath(position), query: { room } }; // links have no room
      return send({ method: 'GET', signal, ...shown });
    },
    [path, room, position],
  );
  return (
    <section aria-labelledby="history">
      <div class="heading">
        <h2 id="history">History</h2>
        <button
          type="button"
          class="small"
          onClick={() => (position === undefined ? page.reload() : setPosition(undefined))}
        >
          Read the newest
        </button>
      </div>
      <LoadedData of={page}>
        {({ objects, next, prev }) => (
          <>
            {objects.length === 0 ? (
              <p class="soft">None: a room keeps its newest 1,000 messages for 24 hours.</p>
            ) : (
              <MessageTable caption="Messages that are kept" messages={objects} />
            )}
            <div class="actions">
              <button
                type="button"
                disabled={prev === null}
                onClick={() => setPosition(prev ?? '')}
              >
                Newer
              </button>
              <button
                type="button"
                disabled={next === null}
                onClick={() => setPosition(next ?? '')}
              >
                Older
              </button>
            </div>
          </>
        )}
      </LoadedData>
    </section>
  );
}
