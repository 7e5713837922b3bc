/** Items by their labels, to be ticked. Loaded when it is opened. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SearchField } from '../../parts/field.tsx';
import { ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import type { Item } from './item.ts';
import { useItemSearch } from './item-picker.tsx';
import { labelTree, withItems } from './label-tree.ts';
import { itemsMax } from './view.ts';
import './label-browser.css';

/** As many as the service lists at once. */
const listedMax = 1000;

/** What {@link LabelBrowser} takes. */
export interface LabelBrowserProps {
  /** Items of the chart. */
  chosen: readonly string[];
  onChange(ids: readonly string[]): void;
  onClose(): void;
}

/** The dialog. */
export default function LabelBrowser({ chosen, onChange, onClose }: LabelBrowserProps) {
  const [text, setText] = useState('');
  const { items, total, isLoading, error } = useItemSearch(text, listedMax);
  const { keys, bare } = labelTree(items);
  const rest = total - items.length;
  const list = (of: readonly Item[]) => <ItemList items={of} chosen={chosen} onChange={onChange} />;
  return (
    <Dialog title="Items by label" isOpen onClose={onClose} isWide>
      <SearchField label="Name, description or label:value" value={text} onChange={setText} />
      <p className="quiet small" role="status">
        {chosen.length} of {itemsMax} in the chart
        {rest > 0 ? `; ${printCount(rest)} items more than are listed: type to narrow it down` : ''}
      </p>
      {error && <ErrorNotice error={error} />}
      {isLoading && items.length === 0 && <Waiting />}
      <div className="label-tree">
        {keys.map(({ key, values }) => (
          <section key={key} aria-label={key}>
            <h3>{key}</h3>
            {values.map((each) => (
              <details key={each.value}>
                <summary>
                  {each.value} <span className="quiet figures">{each.items.length}</span>
                </summary>
                <div className="label-items">
                  <Button
                    isTiny
                    icon="plus"
                    isDisabled={chosen.length >= itemsMax}
                    onPress={() => onChange(withItems(chosen, each.items, itemsMax))}
                    aria-label={`Add all of ${key} ${each.value}`}
                  >
                    Add all
                  </Button>
                  {list(each.items)}
                </div>
              </details>
            ))}
          </section>
        ))}
        {bare.length > 0 && (
          <section aria-label="Without labels">
            <h3>Without labels</h3>
            <div className="label-items">{list(bare)}</div>
          </section>
        )}
        {!isLoading && items.length === 0 && <p className="quiet">No item has this in it.</p>}
      </div>
      <div className="form-actions">
        <Button tone="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function ItemList({
  items,
  chosen,
  onChange,
}: Pick<LabelBrowserProps, 'chosen' | 'onChange'> & { items: readonly Item[] }) {
  const isFull = chosen.length >= itemsMax;
  return (
    <ul>
      {items.map((item) => {
        const isChosen = chosen.includes(item.id);
        return (
          <li key={item.id}>
            <CheckField
              isSelected={isChosen}
              isDisabled={isFull && !isChosen}
              onChange={(isOn) =>
                onChange(isOn ? [...chosen, item.id] : chosen.filter((id) => id !== item.id))
              }
            >
              {item.name} <span className="quiet small">{item.isEnum ? 'states' : item.unit}</span>
            </CheckField>
          </li>
        );
      })}
    </ul>
  );
}
