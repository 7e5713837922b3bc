/** The editor of a formula. The only file that knows CodeMirror; loaded when a page of formulas is opened. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder, tooltips } from '@codemirror/view';
import { type Tag, tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import {
  type FormulaFault,
  type KnownAlias,
  nameBefore,
  type Suggestion,
  suggestions,
  type TokenKind,
  tokenAt,
} from './language.ts';
import './formula.css';

interface EditorProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** What may be completed in addition to functions. */
  aliases: readonly KnownAlias[];
  faults: readonly FormulaFault[];
  describedBy: string;
  /** Called with the cursor's position, from 0; null when the editor loses the focus. */
  onCursor(position: number | null): void;
  /** Ctrl and Enter, or ⌘ and Enter. */
  onRun(): void;
}

/** An editor with colours, completion, and faults underlined where they are. */
export default function FormulaEditor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const { value, faults, label, describedBy } = props;
  useEffect(() => {
    const view = new EditorView({ state: stateOf(latest), parent: place.current! });
    editor.current = view;
    return () => view.destroy();
  }, []);
  useEffect(() => {
    const view = editor.current!;
    if (view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const view = editor.current!;
    const length = view.state.doc.length;
    const diagnostics = faults.map(({ from, to, text }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      severity: 'error' as const,
      message: text,
    }));
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [faults]);
  const isInvalid = faults.length > 0;
  useEffect(() => {
    const attributes = attributesOf(label, describedBy, isInvalid);
    editor.current!.dispatch({ effects: naming.reconfigure(EditorView.contentAttributes.of(attributes)) });
  }, [label, describedBy, isInvalid]);
  return (
    <div ref={place} className={isInvalid ? 'formula-editor invalid' : 'formula-editor'} data-own-keys="" />
  );
}

const naming = new Compartment();

interface Latest {
  readonly current: EditorProps;
}

function stateOf(latest: Latest): EditorState {
  const { value, label, describedBy } = latest.current;
  return EditorState.create({
    doc: value,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      // Above everything else, so that Enter with Ctrl makes no line.
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => runNow(latest) }])),
      EditorView.domEventHandlers({ beforeinput: typeOver }),
      history(),
      closeBrackets(),
      bracketMatching(),
      autocompletion({
        override: [(context) => complete(context, latest.current.aliases)],
        icons: false,
        optionClass: ({ type }) => `formula-option ${type}`,
      }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      StreamLanguage.define(language),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      tooltips({ position: 'fixed' }),
      placeholder('flow / max(power, 0.1)'),
      naming.of(EditorView.contentAttributes.of(attributesOf(label, describedBy, false))),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        if (update.selectionSet || update.docChanged || update.focusChanged)
          latest.current.onCursor(update.view.hasFocus ? update.state.selection.main.head : null);
      }),
    ],
  });
}

/** Computes at once; true: the key is used up. */
function runNow(latest: Latest): boolean {
  latest.current.onRun();
  return true;
}

/**
 * Text typed over a selection is put in here, not by the browser: that would keep the look of what was selected in a
 * `style` attribute, which the policy refuses. True: the event is used up.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { main, ranges } = view.state.selection;
  if (event.inputType !== 'insertText' || event.isComposing || main.empty || ranges.length > 1) return false;
  const text = event.data ?? '';
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  // Such as the one that puts brackets around what is selected.
  if (!handlers.some((handle) => handle(view, main.from, main.to, text, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** The nonce that the service's policy allows styles under. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

function attributesOf(label: string, describedBy: string, isInvalid: boolean): Record<string, string> {
  return {
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': String(isInvalid),
    spellcheck: 'false',
    autocorrect: 'off',
    autocapitalize: 'off',
  };
}

/** Kinds of tokens, their tags, and classes, whose colours are in formula.css and follow the theme. */
const looks: readonly (readonly [TokenKind, Tag, string])[] = [
  ['number', tags.number, 'formula-number'],
  ['function', tags.keyword, 'formula-function'],
  ['constant', tags.atom, 'formula-constant'],
  ['name', tags.variableName, 'formula-name'],
  ['operator', tags.operator, 'formula-operator'],
  ['bracket', tags.bracket, 'formula-bracket'],
  ['wrong', tags.invalid, 'formula-wrong'],
];

const colours = HighlightStyle.define(looks.map(([, tag, name]) => ({ tag, class: name })));

/** One token at a time, from the grammar that has no editor in it. */
const language = {
  token(stream: { string: string; pos: number }): string | null {
    const token = tokenAt(stream.string, stream.pos);
    if (token === null || token.from > stream.pos) {
      stream.pos = token?.from ?? stream.string.length;
      return null;
    }
    stream.pos = token.to;
    return token.kind;
  },
  tokenTable: Object.fromEntries(looks),
};

function complete(context: CompletionContext, aliases: readonly KnownAlias[]): CompletionResult | null {
  const text = context.state.doc.toString();
  const before = nameBefore(text, context.pos);
  if (before === null && !context.explicit) return null;
  return {
    from: before?.from ?? context.pos,
    options: suggestions(aliases).map(optionOf),
    validFor: /^[A-Za-z_][A-Za-z0-9_]*$/,
  };
}

function optionOf({ name, kind, detail, info, insert }: Suggestion): Completion {
  const cursor = insert.indexOf('|');
  return {
    label: name,
    type: kind,
    detail,
    ...(info === '' ? {} : { info }),
    boost: kind === 'alias' ? 10 : 0,
    apply: (view, _, from, to) => {
      const text = insert.replace('|', '');
      // The parenthesis may be there already.
      const isOpen = view.state.sliceDoc(to, to + 1) === '(';
      const put = isOpen ? text.replace('()', '') : text;
      view.dispatch({
        changes: { from, to, insert: put },
        selection: { anchor: from + (isOpen ? put.length + 1 : cursor) },
        userEvent: 'input.complete',
      });
    },
  };
}
