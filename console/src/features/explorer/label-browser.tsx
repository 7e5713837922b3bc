/** Items by their labels, to be ticked. Loaded when it is opened. */
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SearchField } from '../../parts/field.tsx';
import { ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { useAllItems } from './all-items.ts';
import type { Item } from './item.ts';
import { labelTree, withItems } from './label-tree.ts';
import { itemsMax } from './view.ts';
import './label-browser.css';

interface Props {
  chosen: readonly string[];
  onChange(ids: readonly string[]): void;
}

/** The dialog. */
export default function LabelBrowser({ onClose, ...props }: Props & { onClose(): void }) {
  const [text, setText] = useState('');
  const { items, loading, error } = useAllItems(text);
  const { keys, bare } = useMemo(() => labelTree(items), [items]);
  const isEmpty = items.length === 0;
  return (
    <Dialog title="Items by label" onClose={onClose} isWide>
      <SearchField label="Name, description or label:value" value={text} onChange={setText} />
      <p className="quiet small" role="status">
        {props.chosen.length} of {itemsMax} in the chart
        {loading
          ? `; ${printCount(loading.count)} of ${printNumberOf(loading.total, 'item')} loaded`
          : `; ${printNumberOf(items.length, 'item')} listed`}
      </p>
      {error && <ErrorNotice error={error} />}
      {loading && isEmpty && <Waiting />}
      <div className="label-tree">
        {keys.map(({ key, values }) => (
          <section key={key} aria-label={key}>
            <h3>{key}</h3>
            {values.map(({ value, items: of }) => (
              <LabelValue key={value} name={`${key} ${value}`} title={value} items={of} {...props} />
            ))}
          </section>
        ))}
        {bare.length > 0 && (
          <section aria-label="Without labels">
            <h3>Without labels</h3>
            <LabelValue name="without labels" title="Items" items={bare} {...props} />
          </section>
        )}
        {!loading && isEmpty && <p className="quiet">No item matches.</p>}
      </div>
      <div className="form-actions">
        <Button tone="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

/** More boxes than this take long to render. */
const shownMax = 200;

/** A value of a label; its items are rendered once it is opened. */
function LabelValue({
  name,
  title,
  items,
  chosen,
  onChange,
}: Props & { name: string; title: string; items: readonly Item[] }) {
  const [isOpen, setOpen] = useState(false);
  const isFull = chosen.length >= itemsMax;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} <span className="quiet figures">{printCount(items.length)}</span>
      </summary>
      {isOpen && (
        <div className="label-items">
          <Button
            isTiny
            icon="plus"
            isDisabled={isFull}
            onPress={() => onChange(withItems(chosen, items, itemsMax))}
            aria-label={`Add all of ${name}`}
          >
            Add all
          </Button>
          {items.slice(0, shownMax).map((item) => (
            <ItemBox key={item.id} item={item} isFull={isFull} chosen={chosen} onChange={onChange} />
          ))}
          {items.length > shownMax && (
            <p className="quiet small">
              {printCount(items.length - shownMax)} more: type above to narrow the list down.
            </p>
          )}
        </div>
      )}
    </details>
  );
}

function ItemBox({ item, isFull, chosen, onChange }: Props & { item: Item; isFull: boolean }) {
  const { id, name, isEnum, unit } = item;
  const isChosen = chosen.includes(id);
  return (
    <CheckField
      isSelected={isChosen}
      isDisabled={isFull && !isChosen}
      onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
    >
      {name} <span className="quiet small">{isEnum ? 'states' : unit}</span>
    </CheckField>
  );
}
