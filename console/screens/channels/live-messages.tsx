import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { MessageTable } from './message-list.tsx';
import { type TailSource, type TailState, useTail } from './tail.ts';

interface LiveMessagesProps {
  readonly source: TailSource;
  readonly onMessage: () => void;
}

/** Messages as they come. */
export function LiveMessages({ source, onMessage }: LiveMessagesProps) {
  const [isOn, setOn] = useState(true);
  const { state, messages, hasGap } = useTail(source, isOn);
  const newest = messages[0]?.id;
  useEffect(() => {
    if (newest !== undefined) onMessage();
  }, [newest]);
  return (
    <section aria-labelledby="live">
      <div class="heading">
        <h2 id="live">Live</h2>
        <div class="actions">
          <span class={`badge ${state.kind === 'live' ? 'good' : ''}`} role="status">
            {stateText(state)}
          </span>
          <Button class="small" onAct={() => setOn(!isOn)} text={isOn ? 'Stop' : 'Follow'} />
        </div>
      </div>
      {state.kind === 'refused' && <Problem message={state.problem.message} />}
      {hasGap && (
        <p class="about">
          Some messages were published while this tab was hidden. They are not shown.
        </p>
      )}
      {messages.length === 0 ? (
        <p class="soft">Waiting for messages.</p>
      ) : (
        <MessageTable caption="Live messages" messages={messages} />
      )}
    </section>
  );
}

function stateText(state: TailState): string {
  switch (state.kind) {
    case 'connecting':
      return 'connecting…';
    case 'live':
      return 'live';
    case 'stopped':
      return 'stopped';
    case 'hidden':
      return 'paused while the tab is hidden';
    case 'lost':
      return `connection lost, retrying in ${state.seconds} s`;
    case 'refused':
      return 'ended by the server';
  }
}
