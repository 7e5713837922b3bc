/** A button that opens a list of actions or links. */
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { navigate } from '../platform/router/place.ts';
import { Button, IconButton, type Tone } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** An entry of a menu: an action or a link. `null` between entries is a separator. */
export interface MenuEntry {
  text: string;
  icon?: IconName;
  isDanger?: boolean;
  isDisabled?: boolean;
  isChecked?: boolean;
  to?: string;
  run?(): void;
}

interface MenuProps {
  label: string;
  text?: string;
  icon?: IconName;
  tone?: Tone;
  entries: readonly (MenuEntry | null)[];
  isTiny?: boolean;
}

/** A menu behind a button with a text, or with only an icon. */
export function Menu({ label, text, icon = 'more', tone = 'plain', entries, isTiny = false }: MenuProps) {
  return (
    <MenuTrigger>
      {text === undefined ? (
        <IconButton label={label} icon={icon} tone={tone} isTiny={isTiny} />
      ) : (
        <Button tone={tone} icon={icon} isTiny={isTiny}>
          {text}
          {text !== label && <span className="hidden-text">: {label}</span>}
          <Icon name="down" size={12} />
        </Button>
      )}
      <Popover className="popover" placement="bottom end">
        <AriaMenu className="list" aria-label={label}>
          {entries.map((entry, i) =>
            entry === null ? (
              <Separator key={`line-before-${entries[i + 1]?.text}`} className="list-line" />
            ) : (
              <EntryRow key={entry.text} entry={entry} />
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function EntryRow({ entry }: { entry: MenuEntry }) {
  const { text, icon, isDanger = false, isDisabled = false, isChecked, to, run } = entry;
  return (
    <MenuItem
      id={text}
      textValue={text}
      className={isDanger ? 'list-item danger' : 'list-item'}
      isDisabled={isDisabled}
      onAction={() => (to === undefined ? run?.() : navigate(to))}
    >
      {icon && <Icon name={icon} />}
      <span className="grow">{text}</span>
      {isChecked && <Icon name="check" size={14} />}
    </MenuItem>
  );
}
