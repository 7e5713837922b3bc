/** Tabs, and a choice among a few visible options. */
import type { ReactNode } from 'react';
import {
  Tabs as AriaTabs,
  Tab,
  TabList,
  TabPanel,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components';

/** One tab. */
export interface TabEntry {
  id: string;
  text: string;
  content: ReactNode;
}

interface TabsProps {
  label: string;
  entries: readonly TabEntry[];
  selected?: string;
  onSelect?(id: string): void;
}

/** Tabs; only the selected one is rendered. With `selected` and `onSelect` the page controls the selection. */
export function Tabs({ label, entries, selected, onSelect }: TabsProps) {
  const choice = selected === undefined ? {} : { selectedKey: selected };
  return (
    <AriaTabs className="tabs" {...choice} onSelectionChange={(key) => onSelect?.(String(key))}>
      <TabList className="tab-list" aria-label={label}>
        {entries.map(({ id, text }) => (
          <Tab key={id} id={id} className="tab">
            {text}
          </Tab>
        ))}
      </TabList>
      {entries.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="stack">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  onChange(value: Value): void;
  options: readonly { value: Value; text: string }[];
}

/** A choice among two to four visible options. */
export function Segments<Value extends string>({ label, value, onChange, options }: SegmentsProps<Value>) {
  return (
    <ToggleButtonGroup
      className="segments"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [first] = keys;
        if (first !== undefined) onChange(String(first) as Value);
      }}
    >
      {options.map((option) => (
        <ToggleButton key={option.value} id={option.value} className="segment">
          {option.text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
