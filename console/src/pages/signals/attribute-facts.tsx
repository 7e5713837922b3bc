/** The describing fields of a signal or an item, to read. */
import type { ReactNode } from 'react';
import { attributeNames, attributeTitles } from '../../features/edit/change.ts';
import { dash, Tag } from '../../parts/badge.tsx';
import { Facts } from '../../parts/page.tsx';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printPeriod } from '../../platform/time/span.ts';

interface AttributeFactsProps {
  attributes: Attributes;
  first?: readonly (readonly [string, ReactNode])[];
}

/** Every field. */
export function AttributeFacts({ attributes, first = [] }: AttributeFactsProps) {
  const facts = attributeNames
    .filter((name) => name !== 'enumValues' || attributes.valueType === 'enum')
    .map(
      (name) =>
        [attributeTitles[name], <AttributeValue key={name} name={name} attributes={attributes} />] as const,
    );
  return <Facts facts={[...first, ...facts]} />;
}

/** The value of one field. */
export function AttributeValue({ name, attributes }: { name: keyof Attributes; attributes: Attributes }) {
  if (name === 'labels')
    return (
      <TagList
        entries={Object.entries(attributes.labels).map(([key, values]) => [key, values.join(', ')] as const)}
      />
    );
  if (name === 'enumValues') return <TagList entries={Object.entries(attributes.enumValues)} />;
  const value = attributes[name];
  if (value === null || value === '') return dash;
  if (name === 'sampleInterval' || name === 'gapDetection') return printPeriod(value);
  return name === 'valueType' && value === 'enum' ? <>states (enum)</> : value;
}

function TagList({ entries }: { entries: readonly (readonly [string, string])[] }) {
  if (entries.length === 0) return dash;
  return (
    <span className="line">
      {entries.map(([key, value]) => (
        <Tag key={key} name={key} value={value} />
      ))}
    </span>
  );
}
