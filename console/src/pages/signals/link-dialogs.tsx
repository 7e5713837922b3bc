/** Disconnects a signal from its item, and connects it to another. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Item, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import { SearchField } from '../../parts/field.tsx';
import { withSearch } from '../../parts/filter/terms.ts';
import { ConfirmDialog, FormDialog } from '../../parts/form.tsx';
import { notifyUndo } from '../../parts/toast.tsx';
import { useUndo } from '../../parts/undo.ts';
import { call, useRpcChange } from '../../platform/rpc/rpc.ts';
import { integrationOf } from './resource-cards.tsx';

const renewed = [
  'admin.selectSignals',
  'console.publish.status',
  'console.integrations.list',
  'console.overview',
] as const;

interface LinkProps {
  signal: Signal;
  onClose(): void;
}

function selection(signal: Signal) {
  return { integration: integrationOf(signal), query: { filter: { id: signal.id } } };
}

/** Disconnects a signal from its item. */
export function DisconnectDialog({ signal, item, onClose }: LinkProps & { item: Item }) {
  const link = useLink(signal);
  const disconnect = useRpcChange('admin.disconnectSignals', renewed, () => {
    notifyUndo('Signal disconnected', () => void link(item.id));
    onClose();
  });
  return (
    <ConfirmDialog
      title="Disconnect signal"
      action="Disconnect"
      sending={disconnect}
      onSubmit={() => disconnect.mutate(selection(signal))}
      onClose={onClose}
    >
      <p>
        The item <b>{item.attributes.name}</b> stays, without the data of this signal. The signal keeps its
        points, and can be connected again.
      </p>
    </ConfirmDialog>
  );
}

/** Lets a signal feed an existing item. */
export function ConnectDialog({ signal, onClose }: LinkProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const items = useItems(text);
  const link = useLink(signal);
  const before = signal.relationships.item.data?.id ?? null;
  const connect = useRpcChange('admin.connectSignals', renewed, () => {
    notifyUndo('Signal connected', () => void link(before));
    onClose();
  });
  return (
    <FormDialog
      title="Connect to an item"
      action="Connect"
      sending={connect}
      isDisabled={chosen === null}
      onSubmit={() => chosen !== null && connect.mutate({ ...selection(signal), item: chosen })}
      onClose={onClose}
    >
      <p className="quiet">
        Readers of the item then also see the points of this signal, for example after a sensor was replaced.
        If several signals have a point at the same time, the signal that was created last is used.
      </p>
      <SearchField label="Find an item" value={text} onChange={setText} />
      <ListBox
        className="list card"
        aria-label="Items"
        selectionMode="single"
        selectedKeys={chosen === null ? [] : [chosen]}
        onSelectionChange={(keys) => setChosen(keys === 'all' ? null : String([...keys][0] ?? '') || null)}
        renderEmptyState={() => <p className="quiet small">No item matches.</p>}
      >
        {items.map(({ id, attributes }) => (
          <ListBoxItem key={id} id={id} textValue={attributes.name} className="list-item">
            <span className="grow">{attributes.name}</span>
            <code className="quiet">{id}</code>
          </ListBoxItem>
        ))}
      </ListBox>
    </FormDialog>
  );
}

/** Connects a signal with an item again, or with none. */
function useLink(signal: Signal): (item: string | null) => Promise<void> {
  const undo = useUndo(renewed);
  const which = selection(signal);
  return (item) =>
    undo(() =>
      item === null
        ? call('admin.disconnectSignals', which)
        : call('admin.connectSignals', { ...which, item }),
    );
}

const shownMax = 50;

function useItems(text: string): readonly Item[] {
  const filter = withSearch({}, text, ['name', 'id']);
  const query = useQuery({
    queryKey: ['service.selectItems', 'to-connect', text],
    queryFn: ({ signal }) =>
      call('service.selectItems', { query: { filter, sort: ['name'], limit: shownMax } }, { signal }),
    placeholderData: keepPreviousData,
  });
  return query.data?.data ?? [];
}
