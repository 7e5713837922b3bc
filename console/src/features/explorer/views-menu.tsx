/** Saved views behind a button: opened, saved, replaced, renamed, deleted. */
import type { SavedView } from '@tidemark/client/wire';
import { useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button, ListButton } from '../../parts/button.tsx';
import { SearchField, TextField } from '../../parts/field.tsx';
import { ConfirmDialog, FormDialog, PlainForm } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { notify, notifyError } from '../../parts/toast.tsx';
import { href, navigate, type SearchChange } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { matchViews, placeOf, queryCharactersMax, savedQuery, type ViewPage } from './saved-view.ts';
import './views-menu.css';

/** The number of views from which there is a field to search them. */
const searchedFrom = 8;
const nameCharactersMax = 128;

/** A button with the name of the view that is shown, if it has one; behind it all saved views. */
export function ViewsMenu({ page, search }: { page: ViewPage; search: SearchChange }) {
  const query = savedQuery(page, search);
  const { data, error } = useRpc('console.views.list');
  const [isOpen, setOpen] = useState(false);
  const [act, setAct] = useState<{ kind: 'rename' | 'delete'; view: SavedView } | null>(null);
  const views = data?.views ?? [];
  const current = views.find((view) => view.query === query);
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button icon="book">
          {current ? (
            <>
              <span className="hidden-text">Saved views: </span>
              <span className="cut view-name">{current.name}</span>
            </>
          ) : (
            'Views'
          )}
          <Icon name="down" size={12} />
        </Button>
        <Popover className="popover views-popover" placement="bottom end">
          <Dialog aria-label="Saved views" className="views-dialog">
            {error && <ErrorNotice error={error} />}
            <ViewList
              views={views}
              page={page}
              query={query}
              current={current}
              close={() => setOpen(false)}
              onAct={(next) => {
                setOpen(false);
                setAct(next);
              }}
            />
            <SaveForm query={query} views={views} />
          </Dialog>
        </Popover>
      </DialogTrigger>
      {act?.kind === 'rename' && <RenameDialog view={act.view} views={views} onClose={() => setAct(null)} />}
      {act?.kind === 'delete' && <DeleteDialog view={act.view} onClose={() => setAct(null)} />}
    </>
  );
}

function useSave() {
  return useRpcChange('console.views.save', ['console.views.list']);
}

interface ListProps {
  views: readonly SavedView[];
  page: ViewPage;
  query: string;
  current: SavedView | undefined;
  close(): void;
  onAct(act: { kind: 'rename' | 'delete'; view: SavedView }): void;
}

function ViewList(props: ListProps) {
  const { views, page } = props;
  const [text, setText] = useState('');
  const found = matchViews(views, text, page);
  if (views.length === 0)
    return (
      <p className="quiet views-none">
        None yet. A saved view keeps items, range, buckets and all other settings of this page; every user
        sees it.
      </p>
    );
  return (
    <>
      {views.length >= searchedFrom && <SearchField label="Find a view" value={text} onChange={setText} />}
      <ul className="views-list" aria-label="Saved views">
        {found.map((view) => (
          <ViewEntry key={view.id} {...props} view={view} />
        ))}
        {found.length === 0 && <li className="quiet views-none">No view matches.</li>}
      </ul>
    </>
  );
}

function ViewEntry({ view, query, current, close, onAct }: ListProps & { view: SavedView }) {
  const isAdmin = useIsAdmin();
  const save = useSave();
  const { name, mine } = view;
  const place = placeOf(view.query);
  const replace = () =>
    save.mutate({ name, query }, { onSuccess: () => notify(`“${name}” replaced`), onError: notifyError });
  const open = () => {
    close();
    navigate(href(place.page, place.search));
  };
  const ofOwner = [
    { text: 'Replace by what is shown', run: replace },
    { text: 'Rename', run: () => onAct({ kind: 'rename', view }) },
  ];
  return (
    <li>
      <ListButton isCurrent={view === current} onPress={open}>
        <Icon name={place.page === '/formulas' ? 'formula' : 'chart'} />
        <span className="grow cut">{name}</span>
        {!mine && <span className="quiet small">{view.owner.name ?? 'deleted person'}</span>}
      </ListButton>
      {(mine || isAdmin) && (
        <Menu
          label={`Change “${name}”`}
          isTiny
          entries={[
            ...(mine ? ofOwner : []),
            { text: 'Delete', isDanger: true, run: () => onAct({ kind: 'delete', view }) },
          ]}
        />
      )}
    </li>
  );
}

function SaveForm({ query, views }: { query: string; views: readonly SavedView[] }) {
  const [name, setName] = useState('');
  const save = useSave();
  const trimmed = name.trim();
  const isThere = views.some((view) => view.mine && view.name === trimmed);
  const isTooLong = query.length > queryCharactersMax;
  const submit = () => {
    if (trimmed === '' || isTooLong) return;
    const onSuccess = () => {
      setName('');
      notify(`Saved as “${trimmed}”`);
    };
    save.mutate({ name: trimmed, query }, { onSuccess });
  };
  return (
    <PlainForm className="views-save" onSubmit={submit}>
      <TextField
        label="Save what is shown as"
        value={name}
        onChange={setName}
        maxLength={nameCharactersMax}
        isRequired
        hint={isThere ? 'There is one of yours under this name: it is replaced.' : undefined}
        error={isTooLong ? 'This view is too large to be saved' : errorOf(save.error)}
      />
      <Button tone="primary" type="submit" isPending={save.isPending}>
        {isThere ? 'Replace' : 'Save'}
      </Button>
    </PlainForm>
  );
}

/** Saves under the new name first, so that an error loses nothing. */
function RenameDialog({
  view,
  views,
  onClose,
}: {
  view: SavedView;
  views: readonly SavedView[];
  onClose(): void;
}) {
  const [name, setName] = useState(view.name);
  const save = useSave();
  const remove = useRpcChange('console.views.delete', ['console.views.list']);
  const trimmed = name.trim();
  const isTaken = views.some((each) => each !== view && each.mine && each.name === trimmed);
  const submit = async () => {
    if (trimmed === view.name) return onClose();
    try {
      await save.mutateAsync({ name: trimmed, query: view.query });
      await remove.mutateAsync({ id: view.id });
      onClose();
    } catch {
      // The form shows the error.
    }
  };
  return (
    <FormDialog
      title="Rename the view"
      action="Rename"
      onSubmit={() => void submit()}
      onClose={onClose}
      isDisabled={trimmed === '' || isTaken}
      sending={{ isPending: save.isPending || remove.isPending, error: null }}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={nameCharactersMax}
        autoFocus
        error={isTaken ? 'There is one of yours under this name' : errorOf(save.error ?? remove.error)}
      />
    </FormDialog>
  );
}

function DeleteDialog({ view, onClose }: { view: SavedView; onClose(): void }) {
  const remove = useRpcChange('console.views.delete', ['console.views.list']);
  return (
    <ConfirmDialog
      title="Delete the view?"
      action="Delete view"
      sending={remove}
      onClose={onClose}
      onSubmit={() => remove.mutate({ id: view.id }, { onSuccess: onClose })}
    >
      <p>“{view.name}” will no longer be listed for anyone. Items and their data stay.</p>
    </ConfirmDialog>
  );
}

function errorOf(error: Error | null): string | undefined {
  return error ? (fieldError(error, 'name') ?? error.message) : undefined;
}
