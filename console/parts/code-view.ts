import { indentWithTab } from '@codemirror/commands';
import { indentUnit, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { codeTheme, colours } from './code-theme.ts';

/** Language of a text; decides colours and indentation. */
export type CodeLanguage = 'javascript' | 'python' | 'json' | 'html' | 'text';

/** What an editor shows, and what it calls. */
export interface CodeViewOptions {
  readonly value: string;
  readonly language: CodeLanguage;
  /** Accessible name. */
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly onValue: (value: string) => void;
  /** Called for Ctrl-Enter, on a Mac Cmd-Enter. */
  readonly onRun: () => void;
}

/** An editor on the page. */
export interface CodeView {
  setValue(value: string): void;
  setLanguage(language: CodeLanguage): void;
  setReadOnly(isReadOnly: boolean): void;
  focus(): void;
  close(): void;
}

const isOurs = Annotation.define<boolean>(); // marks changes that no person made

/** Opens an editor. In a shadow root its styles are style sheet objects, which the content security policy allows. */
export function openCodeView(root: ShadowRoot, options: CodeViewOptions): CodeView {
  const language = new Compartment();
  const reading = new Compartment();
  const run = () => {
    options.onRun();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    doc: options.value,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      basicSetup,
      keymap.of([indentWithTab]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        const isTyped = docChanged && !transactions.some((each) => each.annotation(isOurs));
        if (isTyped) options.onValue(state.doc.toString());
      }),
      codeTheme,
      syntaxHighlighting(colours),
      reading.of(EditorState.readOnly.of(options.isReadOnly)),
      language.of([]),
    ],
  });
  const setLanguage = (name: CodeLanguage) => {
    languages[name]().then(
      (support) => view.dispatch({ effects: language.reconfigure(support) }),
      reportError, // the text can be edited without colours
    );
  };
  setLanguage(options.language);
  return {
    setValue: (value) => {
      const changes = { from: 0, to: view.state.doc.length, insert: value };
      view.dispatch({ changes, annotations: isOurs.of(true) });
    },
    setLanguage,
    setReadOnly: (isReadOnly) => {
      view.dispatch({ effects: reading.reconfigure(EditorState.readOnly.of(isReadOnly)) });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/** Each language is loaded when a text in it is shown. */
const languages: Readonly<Record<CodeLanguage, () => Promise<Extension>>> = {
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  python: async () => [(await import('@codemirror/lang-python')).python(), indentUnit.of('    ')],
  json: async () => (await import('@codemirror/lang-json')).json(),
  html: async () => (await import('@codemirror/lang-html')).html(),
  text: async () => [],
};
