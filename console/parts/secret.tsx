import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface SecretProps {
  /** What it is, for example `the key of ada`. */
  readonly name: string;
  /** Empty where the master secret that made it is retired. */
  readonly text: string;
}

/** A key: hidden until it is asked for. */
export function Secret({ name, text }: SecretProps) {
  const [isShown, setShown] = useState(false);
  if (text === '') return <span class="soft">ended: reset it to get another</span>;
  return (
    <div class="secret">
      {isShown && <code>{text}</code>}
      <div class="actions">
        <Button
          class="small"
          aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
          onAct={() => setShown(!isShown)}
          text={isShown ? 'Hide' : 'Show'}
        />
        <CopyButton text={() => text} label="Copy" about={name} />
      </div>
    </div>
  );
}
