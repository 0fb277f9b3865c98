import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const focusedSelection =
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground';

/** Colours of the editor's parts: variables of the page, which has a light and a dark theme. */
export const codeTheme = EditorView.theme({
  '&': {
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--ground)',
    color: 'var(--text)',
    fontSize: '0.875rem',
    height: '100%',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--code)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  [focusedSelection]: { backgroundColor: 'var(--code-selected)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--wash)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--code-selected)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--alarm)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-gutters, .cm-activeLineGutter': {
    backgroundColor: 'var(--panel)',
    color: 'var(--soft)',
    borderRightColor: 'var(--line)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--wash)',
    borderColor: 'var(--edge)',
    color: 'var(--text)',
  },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
  },
  '.cm-textfield, .cm-button': {
    background: 'var(--ground)',
    border: '1px solid var(--edge)',
    color: 'var(--text)',
  },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text)' },
  '.cm-searchMatch': { backgroundColor: 'var(--wash)', outline: '1px solid var(--edge)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--code-selected)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
});

/** Colours of the words of a language. */
export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.self], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: 'var(--code-name)',
  },
  { tag: [tags.tagName, tags.typeName, tags.className], color: 'var(--code-name)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-property)' },
  { tag: [tags.meta, tags.processingInstruction], color: 'var(--soft)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);
