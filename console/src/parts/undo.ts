/** Taking back what a message offers to undo. */
import { useQueryClient } from '@tanstack/react-query';
import { type Method, renew } from '../platform/rpc/rpc.ts';
import { notify, notifyError } from './toast.tsx';

/** Runs what takes a change back, says how that went, and has `renewed` requested again. */
export function useUndo(renewed: readonly Method[]): (undo: () => Promise<unknown>) => Promise<void> {
  const queries = useQueryClient();
  return async (undo) => {
    await undo().then(() => notify('Undone'), notifyError);
    await renew(queries, renewed);
  };
}
