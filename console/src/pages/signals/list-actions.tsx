/** What can be done with a list of signals or items: export, and edit those that match or are selected. */
import { useMutation } from '@tanstack/react-query';
import type { Item, Signal } from '@tidemark/client/wire';
import { type ReactNode, useState } from 'react';
import type { Subject } from '../../features/download/choices.ts';
import { DownloadDialog } from '../../features/download/download-dialog.tsx';
import { BulkEditDialog } from '../../features/edit/bulk-edit-dialog.tsx';
import type { EditTarget, Scope } from '../../features/edit/target.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { printCount } from '../../parts/number.ts';
import type { PageOf } from '../../parts/table-rows.ts';
import { notifyError } from '../../parts/toast.tsx';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { useZone } from '../../platform/time/zone.ts';
import { exportResources } from './export-signals.ts';

interface ListActionsProps {
  target: EditTarget;
  total: number;
  ids: ReadonlySet<string>;
  onClear(): void;
  /** The filter of all that match; null if they cannot be named by it. */
  filter: FilterJson | null;
  load(skip: number, limit: number): Promise<PageOf<Signal | Item>>;
  file: string;
  /** A further action for the selected ones. */
  children: ReactNode;
}

/** The buttons, and the dialog that edits. */
export function ListActions({ target, total, ids, onClear, filter, load, file, children }: ListActionsProps) {
  const isAdmin = useIsAdmin();
  const zone = useZone();
  const [scope, setScope] = useState<Scope | null>(null);
  const [downloaded, setDownloaded] = useState<Scope | null>(null);
  return (
    <>
      {ids.size > 0 && (
        <span className="line">
          <Button isTiny tone="plain" onPress={onClear}>
            Clear selection
          </Button>
          {isAdmin && (
            <Button isTiny icon="pencil" onPress={() => setScope({ ids: [...ids] })}>
              Edit {printCount(ids.size)} …
            </Button>
          )}
          <PointsButton onPress={() => setDownloaded({ ids: [...ids] })} />
          {children}
        </span>
      )}
      {ids.size === 0 && total > 0 && (
        <span className="line">
          <ExportButton load={load} file={file} />
          {filter && <PointsButton onPress={() => setDownloaded({ filter })} />}
          {isAdmin && filter && (
            <Button isTiny icon="pencil" onPress={() => setScope({ filter })}>
              Edit all {printCount(total)} …
            </Button>
          )}
        </span>
      )}
      {scope && (
        <BulkEditDialog
          target={target}
          scope={scope}
          count={'ids' in scope ? scope.ids.length : total}
          onClose={() => setScope(null)}
        />
      )}
      {downloaded && (
        <DownloadDialog
          subject={subjectOf(target, downloaded)}
          count={'ids' in downloaded ? downloaded.ids.length : total}
          from=""
          to=""
          zone={zone}
          firstDay={1}
          onClose={() => setDownloaded(null)}
        />
      )}
    </>
  );
}

function PointsButton({ onPress }: { onPress(): void }) {
  return (
    <Button isTiny icon="download" onPress={onPress}>
      Download points …
    </Button>
  );
}

/** Signals of other integrations may match the same filter. */
function subjectOf(target: EditTarget, scope: Scope): Subject {
  if ('ids' in scope || target.kind === 'items') return { kind: target.kind, of: scope };
  return { kind: 'signals', of: { filter: { $and: [{ integration: target.integration }, scope.filter] } } };
}

function ExportButton({ load, file }: Pick<ListActionsProps, 'load' | 'file'>) {
  const save = useMutation({
    mutationFn: () => exportResources(load),
    onSuccess: (csv) => download(file, csv, 'text/csv'),
    onError: notifyError,
  });
  return (
    <Button isTiny icon="download" isPending={save.isPending} onPress={() => save.mutate()}>
      CSV of all
    </Button>
  );
}
