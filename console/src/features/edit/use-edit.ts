/** Editing from a page: applied immediately, and confirmed by a message with an undo button. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { EditedResource } from '@tidemark/client/wire';
import { notify, notifyUndo } from '../../parts/toast.tsx';
import { useUndo } from '../../parts/undo.ts';
import { renew } from '../../platform/rpc/rpc.ts';
import { type Change, undoOf } from './change.ts';
import { type EditTarget, editFew, editMany, renewedByEdit } from './target.ts';

/** One edit of a few resources. */
export interface Edit {
  ids: readonly string[];
  change: Change;
  /** What to say when it is done: `Signal saved`. */
  done: string;
}

/** The change of a few resources; afterwards what shows them is asked for again. */
export function useEdit(target: EditTarget) {
  const queries = useQueryClient();
  const takeBack = useTakeBack(target);
  return useMutation<readonly EditedResource[], Error, Edit>({
    mutationFn: async ({ ids, change }) => (await editFew(target, ids, change)).edited,
    onSuccess: (edited, { done }) => {
      if (edited.length === 0) notify('Nothing has changed', 'info');
      else notifyUndo(done, () => takeBack(edited));
      return renew(queries, renewedByEdit);
    },
  });
}

/** Takes an edit back: every field as it was, whatever else has changed since. */
export function useTakeBack(target: EditTarget): (edited: readonly EditedResource[]) => Promise<void> {
  const undo = useUndo(renewedByEdit);
  return (edited) =>
    undo(async () => {
      for (const { ids, change } of undoOf(edited)) await editMany(target, { ids }, change);
    });
}
