/** The choice of the time zone in which the console shows times. */
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  DialogTrigger,
  ListBox,
  ListBoxItem,
  Popover,
  useFilter,
} from 'react-aria-components';
import { Button } from '../parts/button.tsx';
import { AutocompleteField } from '../parts/field.tsx';
import { setPreferences } from '../platform/theme/preferences.ts';
import { useNow } from '../platform/time/moment.tsx';
import { browserZone, offsetOf, useZone, zoneNames } from '../platform/time/zone.ts';
import './zone-picker.css';

/** The button with the zone and its offset, and the list behind it. */
export function ZonePicker() {
  const zone = useZone();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const offset = offsetOf(zone, now);
  const choose = (name: string) => {
    setPreferences({ timeZone: name });
    setOpen(false);
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button tone="plain" icon="clock">
        <span className="hidden-text">Time zone </span>
        <span className="zone-name cut">{zone.replaceAll('_', ' ')} </span>
        {zone !== 'UTC' && <span className="quiet figures">{offset}</span>}
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Time zone" className="zone-dialog">
          <ZoneList zone={zone} now={now} choose={choose} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function ZoneList({ zone, now, choose }: { zone: string; now: number; choose(name: string): void }) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const names = [...new Set([browserZone, ...zoneNames()])];
  return (
    <Autocomplete filter={contains}>
      <AutocompleteField label="Find a time zone" placeholder="City or zone" />
      <ListBox
        className="list"
        aria-label="Time zones"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[zone]}
        onSelectionChange={(keys) => {
          const [first] = keys;
          if (first !== undefined) choose(String(first));
        }}
      >
        {names.map((name) => (
          <ListBoxItem key={name} id={name} textValue={name.replaceAll('_', ' ')} className="list-item">
            <span className="grow">{name.replaceAll('_', ' ')}</span>
            {name === browserZone && <span className="quiet small">this browser</span>}
            <span className="quiet figures">{offsetOf(name, now)}</span>
          </ListBoxItem>
        ))}
      </ListBox>
    </Autocomplete>
  );
}
