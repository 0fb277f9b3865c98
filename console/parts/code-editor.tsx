import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CodeLanguage, CodeView } from './code-view.ts';
import { ErrorText } from './field-messages.tsx';
import { AreaField } from './form.tsx';
import { Skeleton } from './loaded.tsx';
import { useLock } from './locked.tsx';

interface CodeEditorProps {
  readonly value: string;
  readonly language: CodeLanguage;
  readonly label: string;
  readonly onValue: (value: string) => void;
  /** Called for Ctrl-Enter, on a Mac Cmd-Enter; absent: the form around the editor is sent. */
  readonly onRun?: () => void;
  /** The text cannot be changed, and Ctrl-Enter does nothing; also where the editor is locked. */
  readonly isReadOnly?: boolean;
  /** For a few lines, such as JSON of arguments. */
  readonly isSmall?: boolean;
  /** How to write the text: it is not shown where it cannot be changed. */
  readonly hint?: string;
  readonly error?: string | undefined;
}

/** An editor for code. Its code is loaded when the first one is shown; if that fails, it is a field for text. */
export function CodeEditor(given: CodeEditorProps) {
  const isLocked = useLock();
  const props = { ...given, isReadOnly: given.isReadOnly === true || isLocked };
  const { value, language, label, isReadOnly, isSmall, hint, error } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView | undefined>(undefined);
  const known = useRef(value); // the text of the view
  const latest = useRef(props);
  latest.current = props;
  const [state, setState] = useState<'loading' | 'ready' | 'broken'>('loading');
  useEffect(() => {
    let isGone = false;
    open(box.current, latest, known).then(
      (opened) => {
        view.current = opened;
        if (isGone) opened?.close();
        else setState('ready');
      },
      () => setState('broken'),
    );
    return () => {
      isGone = true;
      view.current?.close();
    };
  }, []);
  useLayoutEffect(() => {
    // a text that came from the view is not given back to it: more may have been typed since
    if (value === known.current) return;
    known.current = value;
    view.current?.setValue(value);
  }, [value]);
  useEffect(() => view.current?.setLanguage(language), [language]);
  useEffect(() => view.current?.setReadOnly(isReadOnly), [isReadOnly]);
  if (state === 'broken') return <AreaField {...props} rows={isSmall ? 5 : 20} isCode />;
  return (
    <div class="field code">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the editor itself */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: acts as a label, which cannot name a shadow root */}
      <div class="code-label" onClick={() => view.current?.focus()}>
        <strong>{label}</strong>
        {!isReadOnly && (
          <>
            {' '}
            <span class="hint">{hint}</span> <span class="hint keys">Esc, Tab to leave</span>
          </>
        )}
      </div>
      <div ref={box} class={isSmall ? 'code-box small' : 'code-box'}>
        {state === 'loading' && <Skeleton />}
      </div>
      <ErrorText>{error}</ErrorText>
    </div>
  );
}

interface Held<Value> {
  current: Value;
}

async function open(
  box: HTMLDivElement | null,
  latest: Held<CodeEditorProps>,
  known: Held<string>,
): Promise<CodeView | undefined> {
  const { openCodeView } = await import('./code-view.ts');
  if (box === null) return undefined;
  const { value, language, label, isReadOnly = false } = latest.current;
  known.current = value;
  return openCodeView(box.attachShadow({ mode: 'open' }), {
    value,
    language,
    label,
    isReadOnly,
    onValue: (text) => {
      known.current = text;
      latest.current.onValue(text);
    },
    onRun: () => {
      const { isReadOnly: isFixed, onRun = () => box.closest('form')?.requestSubmit() } =
        latest.current;
      if (!isFixed) onRun();
    },
  });
}
