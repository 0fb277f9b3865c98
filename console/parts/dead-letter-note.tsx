import { at } from '../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../core/api.ts';
import { counted } from '../core/format.ts';
import { useLoad } from '../core/load.ts';
import { href } from '../core/router.ts';

interface DeadLetterNoteProps {
  readonly instance: string;
  /** Consumers whose dead letters are counted. */
  readonly consumers: readonly string[];
}

const pageSize = 100;

/** A line with a link where there are dead letters of some consumers; nothing for who may not see them. */
export function DeadLetterNote({ instance, consumers }: DeadLetterNoteProps) {
  const path = at`instances/${instance}/dead_letters/`;
  const query = { page_size: pageSize, fields: 'consumer' };
  const { data } = useLoad<ApiPage<{ readonly consumer: string }>>(
    (signal) => send({ method: 'GET', path, query, signal }),
    [instance],
  );
  const count = data?.objects.filter(({ consumer }) => consumers.includes(consumer)).length ?? 0;
  if (count === 0) return null;
  return (
    <p class="bad">
      {counted(count, 'job')} failed:{' '}
      <a href={href(at`/i/${instance}/health`)}>show the failed jobs</a>
    </p>
  );
}
