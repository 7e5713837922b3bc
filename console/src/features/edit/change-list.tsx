/** What an edit changes, resource by resource and field by field. */
import type { EditedResource } from '@tidemark/client/wire';
import { PlainTable } from '../../parts/plain-table.tsx';
import { printEditValue, titleOfPath } from './change.ts';
import './edit.css';

/** The list. */
export function ChangeList({ edited }: { edited: readonly EditedResource[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="change-list" aria-label="What changes" tabIndex={0}>
      <PlainTable className="change-table" heads={['Name', 'Field', 'Before', 'After']}>
        {edited.map((one) => rowsOf(one))}
      </PlainTable>
    </section>
  );
}

function rowsOf({ id, name, input, changes }: EditedResource) {
  const entries = Object.entries(changes);
  return entries.map(([path, [before, after]], i) => (
    <tr key={`${id} ${path}`}>
      {i === 0 && (
        <th scope="row" rowSpan={entries.length} title={input ?? id}>
          {name}
        </th>
      )}
      <td>{titleOfPath(path)}</td>
      <td className="change-before">
        <Shown value={before} />
      </td>
      <td className="change-after">
        <Shown value={after} />
      </td>
    </tr>
  ));
}

function Shown({ value }: { value: unknown }) {
  const text = printEditValue(value);
  return text === '' ? <span className="quiet">–</span> : text;
}
