/** Tables of values below a chart. */
import type { ReactNode } from 'react';
import { type Head, PlainTable } from '../../parts/plain-table.tsx';
import { printNumber } from './ticks.ts';
import './readout-table.css';

/** The table; it scrolls sideways where it is too wide. */
export function ReadoutTable(props: { caption: string; heads: readonly Head[]; children: ReactNode }) {
  return (
    <div className="readout-scroll">
      <PlainTable className="readout" {...props} />
    </div>
  );
}

interface LegendButtonProps {
  isVisible: boolean;
  onPress(): void;
  children: ReactNode;
}

/** What shows and hides a line: its swatch and its name. */
export function LegendButton({ isVisible, onPress, children }: LegendButtonProps) {
  return (
    <button
      type="button"
      className="legend-button bare"
      aria-pressed={isVisible}
      title={isVisible ? 'Hide' : 'Show'}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** A number with its unit. */
export function Amount({ value, unit }: { value: number; unit: string }) {
  return (
    <>
      {printNumber(value)}
      {unit !== '' && <span className="unit"> {unit}</span>}
    </>
  );
}
