/** The explorer before anything was chosen. */
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { ItemPicker, useItemSearch } from './item-picker.tsx';
import './beginning.css';

/** Explains how items get into the chart, and offers some. */
export function Beginning({ onAdd, onBrowse }: { onAdd(ids: readonly string[]): void; onBrowse(): void }) {
  const { items, isLoading, total } = useItemSearch('', 8);
  return (
    <section className="card" aria-label="Data">
      <EmptyState icon="chart" title="Choose what to look at">
        <p>Items are published signals. Add one below by its name or a label, or begin with one of these.</p>
        <div className="beginning-picker">
          <ItemPicker chosen={new Set()} onAdd={({ id }) => onAdd([id])} />
          <Button icon="columns" onPress={onBrowse}>
            By label
          </Button>
        </div>
        <div className="line">
          {items.map(({ id, name, isEnum }) => (
            <Button key={id} isTiny icon={isEnum ? 'columns' : 'wave'} onPress={() => onAdd([id])}>
              {name}
            </Button>
          ))}
        </div>
        {items.length > 1 && (
          <div className="line">
            <Button icon="chart" tone="primary" onPress={() => onAdd(items.map(({ id }) => id))}>
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
