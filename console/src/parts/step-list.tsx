/** Steps and their states. */
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import styles from './step-list.module.css';
import type { StepState } from './step-states.ts';

/** One step. */
export interface StepEntry {
  id: string;
  state: StepState;
  title: ReactNode;
  /** Below the title. */
  note?: ReactNode;
}

const icons = { done: 'check', warn: 'warn', bad: 'close' } as const;
const spoken = { done: 'done', warn: 'with a warning', bad: 'failed', next: 'not yet', open: 'not yet' };

/** The list; changes are announced. */
export function StepList({ steps }: { steps: readonly StepEntry[] }) {
  return (
    <ol className={styles.steps} aria-live="polite">
      {steps.map(({ id, state, title, note }) => (
        <li key={id} className={styles[state]}>
          <span className={styles.mark}>
            {state in icons && <Icon name={icons[state as keyof typeof icons]} size={12} />}
          </span>
          <div className="grow break">
            {title}
            <span className="hidden-text">: {spoken[state]}</span>
            {note}
          </div>
        </li>
      ))}
    </ol>
  );
}
