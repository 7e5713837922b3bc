/** Compares a signal and its item field by field. */
import type { Item, Signal } from '@tidemark/client/wire';
import { attributeNames, attributeTitles } from '../../features/edit/change.ts';
import { dash } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { AttributeValue } from '../signals/attribute-facts.tsx';
import { type Choice, type ComparedField, isEqual, type Side } from './choice.ts';
import './diff-table.css';

interface DiffProps {
  signal: Signal;
  item: Item | null;
  choice: Choice;
  onChoice(choice: Choice): void;
}

/** The fields that differ, or for a new item those that are set. */
export function DiffTable(props: DiffProps) {
  const { signal, item } = props;
  const isShown = (field: ComparedField) => (item ? !isEqual(field, signal, item) : isSet(field, signal));
  return (
    <div className="diff-frame">
      <PlainTable
        className="diff"
        heads={item ? ['Field', 'Item now', 'Signal', 'Publish'] : ['Field', 'Item', 'Signal']}
      >
        {attributeNames.filter(isShown).map((field) => (
          <DiffRow key={field} field={field} {...props} />
        ))}
      </PlainTable>
    </div>
  );
}

const sides = [
  { value: 'item', text: 'Keep' },
  { value: 'signal', text: 'Take' },
] as const;

function DiffRow({ field, signal, item, choice, onChoice }: DiffProps & { field: ComparedField }) {
  const side: Side = choice[field] ?? 'signal';
  const title = attributeTitles[field];
  return (
    <tr>
      <th scope="row">{title}</th>
      <td className={item && side === 'signal' ? 'diff-old' : ''}>
        {item ? <AttributeValue name={field} attributes={item.attributes} /> : dash}
      </td>
      <td className={!item || side === 'signal' ? 'diff-new' : ''}>
        <AttributeValue name={field} attributes={signal.attributes} />
      </td>
      {item && (
        <td>
          <Segments<Side>
            label={`${title}: which value`}
            value={side}
            onChange={(next) => onChoice({ ...choice, [field]: next })}
            options={sides}
          />
        </td>
      )}
    </tr>
  );
}

function isSet(field: ComparedField, { attributes }: Signal): boolean {
  const value = attributes[field];
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
