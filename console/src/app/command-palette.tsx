/** The command palette: pages, actions and items by a part of their names. */
import { useState } from 'react';
import { Autocomplete, Dialog, Menu, MenuItem, Modal, ModalOverlay, useFilter } from 'react-aria-components';
import { AutocompleteField } from '../parts/field.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { href, navigate } from '../platform/router/place.ts';
import { type Command, foundPrefix, useFound } from './palette-search.ts';
import { Keys } from './shortcut-sheet.tsx';
import './command-palette.css';

/** The palette. The typed text can also be searched in the lists. */
export function CommandPalette({ onClose, commands }: { onClose(): void; commands: readonly Command[] }) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const [typed, setTyped] = useState('');
  const found = useFound(typed);
  const choose = (run: () => void) => {
    onClose();
    run();
  };
  return (
    <ModalOverlay className="veil" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal palette">
        <Dialog aria-label="Commands">
          <Autocomplete
            filter={(text, input, node) => String(node.key).startsWith(foundPrefix) || contains(text, input)}
            inputValue={typed}
            onInputChange={setTyped}
          >
            <AutocompleteField
              label="Find a command"
              placeholder="Go to, or do …"
              className="palette-search"
            />
            <Menu
              className="list palette-list"
              aria-label="Commands"
              renderEmptyState={() => <p className="palette-empty quiet">No command matches.</p>}
            >
              {[...commands, ...found].map((command) => (
                <MenuItem
                  key={command.id}
                  id={command.id}
                  textValue={`${command.text} ${command.words ?? ''}`}
                  className="list-item"
                  onAction={() => choose(command.run)}
                >
                  <Icon name={command.icon} />
                  <span className="grow">
                    {command.text}
                    {command.note && <span className="quiet small">{` ${command.note}`}</span>}
                  </span>
                  {command.keys && <Keys keys={command.keys} />}
                </MenuItem>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** A command that opens a page. */
export function pageCommand(path: string, text: string, icon: IconName, key: string | null): Command {
  const go = () => navigate(href(path));
  return { id: path, text, words: 'go to page', icon, run: go, ...(key ? { keys: `g ${key}` } : {}) };
}
