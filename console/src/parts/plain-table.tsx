/** A table of few rows, as HTML has it; {@link DataTable} is for many. */
import type { ReactNode } from 'react';

/** The head of a column: its text, and the class of its cell, such as `number`. */
export type Head = string | readonly [text: ReactNode, className: string];

interface PlainTableProps {
  className?: string;
  caption?: ReactNode;
  heads: readonly Head[];
  children: ReactNode;
}

/** The table; its rows are the children, its name is only for screen readers. */
export function PlainTable({ className, caption, heads, children }: PlainTableProps) {
  const pairs = heads.map((head) => (typeof head === 'string' ? ([head, ''] as const) : head));
  return (
    <table className={className}>
      {caption && <caption className="hidden-text">{caption}</caption>}
      <thead>
        <tr>
          {pairs.map(([text, of], place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
            <th key={place} scope="col" className={of}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
