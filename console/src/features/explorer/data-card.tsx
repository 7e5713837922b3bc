/** The card with chart and tables of the explorer and of formulas. */
import type { ReactNode } from 'react';
import './data-card.css';

interface DataCardProps {
  label: string;
  head: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The card; in its head how the data was computed, and `actions`. */
export function DataCard({ label, head, actions, children }: DataCardProps) {
  return (
    <section className="card data-card" aria-label={label}>
      <div className="data-head">
        {head}
        {actions}
      </div>
      {children}
    </section>
  );
}

/** How the data was computed: the width of buckets, then `notes` about it. */
export function DataWords({ width, notes }: { width: string; notes: string }) {
  return (
    <p className="data-words" aria-live="off">
      <b>{width}</b>
      <span className="quiet">{notes}</span>
    </p>
  );
}
