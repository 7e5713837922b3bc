/** The filter of a list: a search field, conditions as chips, and the whole filter as JSON for advanced users. */
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { DialogButton } from '../dialog.tsx';
import { SearchField, type SearchFieldProps, TextField } from '../field.tsx';
import { FormDialog } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { AddTerm } from './add-term.tsx';
import type { PlaceFilter } from './place-filter.ts';
import {
  type FilterField,
  type FilterJson,
  filterOf,
  parseFilterText,
  type Term,
  termsOf,
  wordsOf,
} from './terms.ts';
import './filter.css';

interface FilterBarProps {
  place: PlaceFilter;
  fields: readonly FilterField[];
  searchLabel: string;
  error?: string | undefined;
  children?: React.ReactNode;
}

/** The bar. */
export function FilterBar({ place, fields, searchLabel, error, children }: FilterBarProps) {
  const { filter, setFilter } = place;
  const terms = termsOf(filter);
  return (
    <div className="stack-tight">
      <div className="line">
        {children}
        <div className="filter-search">
          <DebouncedSearch label={searchLabel} value={place.text} onChange={place.setText} />
        </div>
        <AddTerm fields={fields} onAdd={(term) => setFilter(filterOf([...terms, term]))} />
        <DialogButton tone="plain" icon="code" text="JSON">
          {(close) => <JsonDialog filter={filter} onFilter={setFilter} onClose={close} />}
        </DialogButton>
      </div>
      {terms.length > 0 && <Chips terms={terms} fields={fields} onFilter={setFilter} />}
      {error && <p className="field-error">{error}</p>}
    </div>
  );
}

interface ChipsProps {
  terms: readonly Term[];
  fields: readonly FilterField[];
  onFilter(filter: FilterJson): void;
}

function Chips({ terms, fields, onFilter }: ChipsProps) {
  return (
    <ul className="line" aria-label="Conditions">
      {terms.map((term, i) => (
        <li key={JSON.stringify(term)} className="chip">
          <span className="cut">{wordsOf(term, fields)}</span>
          <button
            type="button"
            className="chip-remove bare"
            aria-label={`Remove: ${wordsOf(term, fields)}`}
            onClick={() => onFilter(filterOf(terms.filter((_, k) => k !== i)))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
      {terms.length > 1 && (
        <li>
          <Button isTiny tone="plain" onPress={() => onFilter({})}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  );
}

const typingMs = 250;

/** Reports the typed text when the typing pauses. */
function DebouncedSearch({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const deferred = useDeferredValue(typed);
  // A value that was reported from here may arrive when more has been typed.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (deferred === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = deferred;
      onChange(deferred);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [deferred, onChange]);
  return <SearchField label={label} value={typed} onChange={setTyped} />;
}

interface JsonDialogProps {
  filter: FilterJson;
  onFilter(filter: FilterJson): void;
  onClose(): void;
}

function JsonDialog({ filter, onFilter, onClose }: JsonDialogProps) {
  const [text, setText] = useState(JSON.stringify(filter, null, 2));
  const parsed = parseFilterText(text);
  const apply = () => {
    if (!('filter' in parsed)) return;
    onFilter(parsed.filter);
    onClose();
  };
  return (
    <FormDialog
      title="Filter as JSON"
      action="Apply"
      isDisabled={'problem' in parsed}
      isWide
      onSubmit={apply}
      onClose={onClose}
    >
      <p className="quiet">
        The filter as programs send it: all members must match; <code>$and</code> and <code>$or</code> take
        arrays; comparisons are <code>$eq $ne $in $nin $lt $lte $gt $gte $regex $exists</code>. A path may
        continue with a key, as in <code>labels.site</code>.
      </p>
      <TextField
        label="Filter"
        value={text}
        onChange={setText}
        rows={12}
        isCode
        error={'problem' in parsed ? parsed.problem : undefined}
      />
    </FormDialog>
  );
}
