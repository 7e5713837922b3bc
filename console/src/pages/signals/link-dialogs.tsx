/** Which item a signal feeds: taking it off, and putting it onto another. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Item, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { SearchField } from '../../parts/field.tsx';
import { withSearch } from '../../parts/filter/terms.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { tell, tellError, tellUndo } from '../../parts/toast.tsx';
import { call, renew, useRpcChange } from '../../platform/rpc/rpc.ts';

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

function integrationOf({ relationships }: Signal): string {
  return relationships.integration.data?.id ?? '';
}

/** Takes a signal off its item. */
export function DisconnectDialog({ signal, item, onClose }: LinkProps & { item: Item }) {
  const link = useLink(signal);
  const disconnect = useRpcChange('admin.disconnectSignals', renewed);
  const confirm = () => {
    // Not by the callbacks of `mutate`: the dialog may be gone with the item by then.
    disconnect.mutateAsync({ integration: integrationOf(signal), query: { filter: { id: signal.id } } }).then(
      () => {
        tellUndo('Signal disconnected', () => void link(item.id));
        onClose();
      },
      () => undefined,
    );
  };
  return (
    <ConfirmDialog
      title="Disconnect signal"
      action="Disconnect"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={disconnect.isPending}
      error={disconnect.error}
    >
      <p>
        The item <b>{item.attributes.name}</b> stays, without the data of this signal. The signal keeps its
        points, and can be connected again.
      </p>
    </ConfirmDialog>
  );
}

/** Lets a signal feed an item that exists. */
export function ConnectDialog({ signal, onClose }: LinkProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const items = useItems(text);
  const link = useLink(signal);
  const before = signal.relationships.item.data?.id ?? null;
  const connect = useRpcChange('admin.connectSignals', renewed);
  const _submit = () => {
    if (chosen === null) return;
    connect.mutate(
      { integration: integrationOf(signal), query: { filter: { id: signal.id } }, item: chosen },
      {
        onSuccess: () => {
          tellUndo('Signal connected', () => void link(before));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Connect to an item" isOpen onClose={onClose}>
      <p className="quiet">
        Readers of the item then see the points of this signal too, as after the exchange of a sensor. Where
        several signals have a point at the same time, the one created last counts.
      </p>
      <SearchField label="Find an item" value={text} onChange={setText} />
      <ListBox
        className="list card"
        aria-label="Items"
        selectionMode="single"
        selectedKeys={chosen === null ? [] : [chosen]}
        onSelectionChange={(keys) => setChosen(keys === 'all' ? null : String([...keys][0] ?? '') || null)}
        renderEmptyState={() => <p className="quiet small">No item has a name like that.</p>}
      >
        {items.map(({ id, attributes }) => (
          <ListBoxItem key={id} id={id} textValue={attributes.name} className="list-item">
            <span className="grow">{attributes.name}</span>
            <code className="quiet">{id}</code>
          </ListBoxItem>
        ))}
      </ListBox>
      {connect.error && <ErrorNotice error={connect.error} />}
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button tone="primary" isDisabled={chosen === null} isPending={connect.isPending} onPress={_submit}>
          Connect
        </Button>
      </div>
    </Dialog>
  );
}

/** Puts a signal back to an item, or to none. */
function useLink(signal: Signal): (item: string | null) => Promise<void> {
  const queries = useQueryClient();
  return async (item) => {
    const which = { integration: integrationOf(signal), query: { filter: { id: signal.id } } };
    try {
      if (item === null) await call('admin.disconnectSignals', which);
      else await call('admin.connectSignals', { ...which, item });
      tell('Taken back');
    } catch (error) {
      tellError(error);
    }
    await renew(queries, renewed);
  };
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
