/** How far something long has come. */
import { printCount, printNumberOf } from '../../parts/number.ts';
import './edit.css';

interface ProgressLineProps {
  seen: number;
  total: number;
  noun: string;
  /** What became of those seen: `12 to change`. */
  done: string;
}

/** A bar, and the same in words. */
export function ProgressLine({ seen, total, noun, done }: ProgressLineProps) {
  const whole = Math.max(total, seen, 1);
  return (
    <div className="stack-tight" role="status">
      <progress className="edit-progress" value={seen} max={whole} aria-label="Progress" />
      <p className="quiet small figures">
        {printCount(seen)} of {printNumberOf(whole, noun)}, {done}
      </p>
    </div>
  );
}
