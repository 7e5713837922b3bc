/** Long work that the user can stop, with its progress. */
import { useEffect, useRef, useState } from 'react';

/** One piece of work at a time: another one, `stop`, and the end of the component abort it. */
export function useTask<Progress>() {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const control = useRef<AbortController>(undefined);
  const stop = () => control.current?.abort();
  useEffect(() => () => control.current?.abort(), []);
  /** The result; null if the work failed or was stopped. */
  const run = async <Result>(
    work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Result>,
  ): Promise<Result | null> => {
    stop();
    const own = new AbortController();
    control.current = own;
    setProgress(null);
    setError(null);
    setPending(true);
    try {
      return await work(own.signal, setProgress);
    } catch (reason) {
      if (!own.signal.aborted) setError(reason);
      return null;
    } finally {
      if (control.current === own) setPending(false);
    }
  };
  return { run, stop, progress, error, isPending, forgetError: () => setError(null) };
}
