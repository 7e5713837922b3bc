/** The explorer before anything was chosen. */
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import type { Item } from './item.ts';
import { ItemPicker, useItemSearch } from './item-picker.tsx';

/** Teaches how items get into the chart, and offers some. */
export function Beginning({
  onAdd,
  onAddAll,
  onBrowse,
}: {
  onAdd(item: Item): void;
  onBrowse(): void;
  onAddAll(ids: readonly string[]): void;
}) {
  const { items, isLoading, total } = useItemSearch('', 8);
  return (
    <section className="card" aria-label="Data">
      <EmptyState icon="chart" title="Choose what to look at">
        <p>Items are published signals. Add one below by its name or a label, or begin with one of these.</p>
        <div className="beginning-picker">
          <ItemPicker chosen={new Set()} onAdd={onAdd} />
          <Button icon="columns" onPress={onBrowse}>
            By label
          </Button>
        </div>
        <div className="line">
          {items.map((item) => (
            <Button key={item.id} isTiny icon={item.isEnum ? 'columns' : 'wave'} onPress={() => onAdd(item)}>
              {item.name}
            </Button>
          ))}
        </div>
        {items.length > 1 && (
          <div className="line">
            <Button icon="chart" tone="primary" onPress={() => onAddAll(items.map(({ id }) => id))}>
              Chart {items.length === total ? 'all' : 'the first'} {items.length}
            </Button>
          </div>
        )}
        {!isLoading && total === 0 && (
          <p>
            There are none yet: <a href="#/publish">publish signals</a>, and they become items.
          </p>
        )}
      </EmptyState>
    </section>
  );
}
