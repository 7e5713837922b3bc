/** The `?` sheet: every shortcut that works on this page. */
import { Fragment } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { SwitchField } from '../parts/field.tsx';
import { type Shortcut, useActiveShortcuts, useSingleKeys } from '../platform/router/shortcuts.ts';
import './shortcut-sheet.css';

/** The sheet. */
export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const shortcuts = useActiveShortcuts();
  const [areOn, setOn] = useSingleKeys();
  const groups = Map.groupBy(shortcuts, (shortcut) => shortcut.group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
      <div className="shortcut-groups">
        {[...groups].map(([group, entries]) => (
          <section key={group} className="stack-tight">
            <h3>{group}</h3>
            <dl className="shortcut-list">
              {unique(entries).map(({ keys, text }) => (
                <div key={keys} className="line spread">
                  <dt>{text}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <SwitchField isSelected={areOn} onChange={setOn}>
        Shortcuts of a single key
      </SwitchField>
    </Dialog>
  );
}

/** Keys by their labels on the keyboard. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keys.split(' ').map((stroke, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may have a key twice
        <Fragment key={i}>
          {stroke.split('+').map((key) => (
            <kbd key={key}>
              {stroke.includes('+')
                ? nameOf(key).replace(/^[a-z]$/, (letter) => letter.toUpperCase())
                : nameOf(key)}
            </kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

const names: Readonly<Record<string, string>> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  '': '+',
};

function nameOf(key: string): string {
  return names[key] ?? key;
}

function unique(entries: readonly Shortcut[]): Shortcut[] {
  return [...new Map(entries.map((entry) => [entry.keys, entry])).values()];
}
