import { useEffect } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { Button } from '../../parts/button.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { PageButtons, usePages } from '../../parts/paged.tsx';
import type { RoomMessage } from './channel-data.ts';
import { MessageTable } from './message-list.tsx';
import type { TailSource } from './tail.ts';

const pageSize = 20;

interface MessageHistoryProps {
  readonly source: TailSource;
  /** Rises with each new message: the first page is read again. */
  readonly published: number;
}

/** Messages that are kept, the newest first, page by page. */
export function MessageHistory({ source, published }: MessageHistoryProps) {
  const { instance, channel, room } = source;
  const path = at`instances/${instance}/channels/${channel}/history/`;
  const query = { room, page_size: pageSize };
  const messages = usePages<RoomMessage>(path, query); // links have no room
  useEffect(() => {
    if (published > 0 && messages.pages.prev === null) messages.reload();
  }, [published]);
  return (
    <section aria-labelledby="history">
      <div class="heading">
        <h2 id="history">History</h2>
        <Button class="small" onAct={() => messages.pages.open(null)} text="Refresh" />
      </div>
      <LoadedData of={messages}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <p class="soft">No messages yet. The newest 1,000 are kept for 24 hours.</p>
            ) : (
              <MessageTable caption="Kept messages" messages={all} />
            )}
            <PageButtons of={messages} texts={['Newer', 'Older']} isAlwaysShown />
          </>
        )}
      </LoadedData>
    </section>
  );
}
