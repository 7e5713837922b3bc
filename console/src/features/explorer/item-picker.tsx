/** Finds items at the service and adds them to what is shown. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { Icon } from '../../parts/icon.tsx';
import { useRested } from '../../parts/in-sight.ts';
import { call, type ResultOf, useRpc } from '../../platform/rpc/rpc.ts';
import { type Item, readItem, searchFilter } from './item.ts';
import './item-picker.css';

const listedMax = 40;

interface ItemPickerProps {
  chosen: ReadonlySet<string>;
  onAdd(item: Item): void;
  isFull?: boolean;
}

/** A field that searches items by name, description and label (`site:Oslo`) while one types; choosing one adds it. */
export function ItemPicker({ chosen, onAdd, isFull = false }: ItemPickerProps) {
  const [text, setText] = useState('');
  const [value, setValue] = useState<string | null>(null);
  const { items, isLoading, total } = useItemSearch(text);
  const offered = items.filter(({ id }) => !chosen.has(id));
  const add = (key: React.Key | null) => {
    const item = offered.find(({ id }) => id === key);
    if (!item) return;
    onAdd(item);
    setText('');
    setValue(item.id);
  };
  // The list closes when a value is chosen; then the field is ready for the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen triggers it
  useEffect(() => setValue(null), [value]);
  return (
    <ComboBox
      className="item-picker"
      inputValue={text}
      onInputChange={setText}
      items={offered}
      value={value}
      onChange={add}
      defaultFilter={() => true}
      allowsEmptyCollection
      isDisabled={isFull}
    >
      <Label className="hidden-text">Add an item</Label>
      <div className="search">
        <Icon name="plus" />
        <Input
          className="input"
          data-search=""
          placeholder={isFull ? '50 items is the maximum' : 'Add an item: name, or label:value'}
        />
        <Button className="item-list-button bare" aria-label="List items">
          <Icon name="down" size={14} />
        </Button>
      </div>
      <Popover className="popover item-popover">
        <ListBox className="list" renderEmptyState={() => <NoMatch isLoading={isLoading} text={text} />}>
          {(item: Item) => <Match item={item} />}
        </ListBox>
        {total > items.length && (
          <p className="quiet small item-more">
            {items.length} of {total}: type to narrow it down
          </p>
        )}
      </Popover>
    </ComboBox>
  );
}

function Match({ item }: { item: Item }) {
  const labels = Object.entries(item.labels).map(([key, values]) => `${key}: ${values.join(', ')}`);
  return (
    <ListBoxItem id={item.id} textValue={item.name} className="list-item">
      <Icon name={item.isEnum ? 'columns' : 'wave'} />
      <span className="grow">
        <Text slot="label">{item.name}</Text>
        {labels.length > 0 && (
          <Text slot="description" className="quiet small cut item-labels">
            {labels.join(' · ')}
          </Text>
        )}
      </span>
      <span className="quiet small">{item.isEnum ? 'states' : item.unit}</span>
    </ListBoxItem>
  );
}

function NoMatch({ isLoading, text }: { isLoading: boolean; text: string }) {
  if (isLoading) return <p className="quiet item-more">Searching …</p>;
  return (
    <p className="quiet item-more">
      {text.trim() === ''
        ? 'No more items. Publish signals to make them items.'
        : `No item has “${text.trim()}” in it.`}
    </p>
  );
}

/** Items that match what was typed, a little after the typing stops. */
export function useItemSearch(text: string, limit = listedMax) {
  const settled = useRested(text);
  const query = useRpc(
    'service.selectItems',
    { query: { filter: searchFilter(settled), limit, sort: ['name'], total: true } },
    { keepPrevious: true },
  );
  return {
    items: query.data?.data.map(readItem) ?? [],
    total: query.data?.meta.total ?? 0,
    isLoading: query.isPending || settled !== text,
  };
}

type Selection = ResultOf<'service.selectItems'>;

/** All of some items from answers at hand; undefined when one of them is in none. */
function listed(queries: QueryClient, ids: readonly string[]): Selection | undefined {
  const cached = queries.getQueriesData<Selection>({ queryKey: ['service.selectItems'] });
  // Tables keep their pages in another form.
  const answers = cached.flatMap(([, answer]) => (answer && 'data' in answer ? answer : []));
  const known = new Map(answers.flatMap(({ data }) => data).map((resource) => [resource.id, resource]));
  const data = ids.flatMap((id) => known.get(id) ?? []);
  return answers[0] && data.length === ids.length ? { ...answers[0], data } : undefined;
}

/** Items by ID, in the order asked for; those that are not there are in `missing`. */
export function useItems(ids: readonly string[]) {
  const queries = useQueryClient();
  const params = { query: { filter: { id: { $in: [...ids].sort() } }, limit: Math.max(1, ids.length) } };
  const query = useQuery<Selection, Error>({
    queryKey: ['service.selectItems', params],
    queryFn: ({ signal }) => call('service.selectItems', params, { signal }),
    enabled: ids.length > 0,
    // What was just listed need not be waited for.
    placeholderData: (previous) => listed(queries, ids) ?? previous,
  });
  const found = new Map(query.data?.data.map((resource) => [resource.id, readItem(resource)]) ?? []);
  return {
    items: ids.flatMap((id) => found.get(id) ?? []),
    missing: query.isPlaceholderData || !query.data ? [] : ids.filter((id) => !found.has(id)),
    isLoading: ids.length > 0 && (query.isPending || query.isPlaceholderData),
    error: query.error,
  };
}
