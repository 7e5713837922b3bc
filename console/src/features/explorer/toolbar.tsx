/** The controls above the chart: the range and its steps, how points are rolled up, and how lines are drawn. */
import type { ReactNode } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { boundTo } from '../../parts/bound.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { optionsOf, SelectField, SwitchField } from '../../parts/field.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { printPeriod } from '../../platform/time/span.ts';
import { comparisons } from './compare.ts';
import { bandsMax, canHaveBands } from './loading.ts';
import type { Span } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import type { Explorer } from './use-explorer.ts';
import { statistics } from './view.ts';
import { isAllowed, niceWidths } from './width.ts';
import './toolbar.css';

/** The toolbar of a view. */
export function Toolbar(explorer: Explorer) {
  const { view, span, acts } = explorer;
  const of = boundTo(view, acts.change);
  return (
    <Bar label="Range and display" range={<RangeTools {...explorer} />}>
      <RollupField rollup={view.rollup} span={span} onChange={(rollup) => acts.change({ rollup })} />
      <SelectField
        label="Value of a bucket"
        isLabelHidden
        {...of('statistic')}
        options={optionsOf(statistics)}
      />
      <SelectField label="Compare with" isLabelHidden {...of('compares')} options={optionsOf(comparisons)} />
      <Display {...explorer} />
    </Bar>
  );
}

/** A toolbar above a chart: the range, then how its data is computed and drawn. */
export function Bar({ label, range, children }: { label: string; range: ReactNode; children: ReactNode }) {
  return (
    <div className="explorer-bar" role="toolbar" aria-label={label}>
      <div className="line bar-range">{range}</div>
      <div className="line bar-display">{children}</div>
    </div>
  );
}

function RangeTools({ view, span, zone, nowMs, extent, acts, isLoading }: Explorer) {
  return (
    <>
      <RangePicker view={view} span={span} zone={zone} nowMs={nowMs} extent={extent} onChange={acts.change} />
      <IconButton label="Earlier" icon="left" onPress={() => acts.shift(-0.5)} />
      <IconButton label="Later" icon="right" onPress={() => acts.shift(0.5)} />
      <IconButton label="Zoom out" icon="minus" onPress={acts.zoomOut} />
      <IconButton label="Refresh" icon="refresh" onPress={acts.refresh} isPending={isLoading} />
      <Button
        tone={view.isLive ? 'primary' : 'normal'}
        icon={view.isLive ? 'pause' : 'play'}
        aria-pressed={view.isLive}
        onPress={() => acts.setLive(!view.isLive)}
      >
        <span className="bar-word">{view.isLive ? 'Pause' : 'Live'}</span>
      </Button>
    </>
  );
}

interface RollupFieldProps {
  rollup: string;
  span: Span;
  onChange(rollup: string): void;
  needsBuckets?: boolean;
}

/** Automatic, every point, the window, or a width that the span allows. */
export function RollupField({ rollup, span, onChange, needsBuckets = false }: RollupFieldProps) {
  const spanMs = span.toMs - span.fromMs;
  const widths = niceWidths.filter(
    ({ ms }) => ms <= spanMs && spanMs / ms <= 50_000 && isAllowed(ms, spanMs),
  );
  const options = [
    { value: 'auto', text: 'Auto buckets' },
    ...(needsBuckets ? [] : [{ value: 'raw', text: 'Every point' }]),
    ...widths.map(({ duration, words }) => ({ value: duration, text: words })),
    { value: 'window', text: 'One bucket' },
  ];
  const isKnown = options.some(({ value }) => value === rollup);
  return (
    <SelectField
      label="Buckets"
      isLabelHidden
      value={rollup}
      onChange={onChange}
      options={isKnown ? options : [...options, { value: rollup, text: `Buckets of ${printPeriod(rollup)}` }]}
    />
  );
}

function Display({ view, items, acts }: Explorer) {
  const of = boundTo(view, acts.change);
  return (
    <DialogTrigger>
      <Button icon="cog">
        <span className="bar-word">Display</span>
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Display options" className="display-dialog">
          <Segments label="Draw as" {...of('line')} options={optionsOf(lineNames)} />
          {view.line === 'bars' && view.rollup === 'raw' && (
            <p className="quiet small">Bars need buckets: every point is drawn as a line.</p>
          )}
          <Segments label="Axes" {...of('axes')} options={optionsOf(axisNames)} />
          <SwitchField isSelected={view.hasBand} onChange={(hasBand) => acts.change({ hasBand })}>
            Min to max behind the average
          </SwitchField>
          {view.hasBand && !canHaveBands(items) && (
            <p className="quiet small">Not drawn for more than {bandsMax} lines.</p>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

const lineNames = { auto: 'Automatic', line: 'Line', step: 'Step', bars: 'Bars' };
const axisNames = { auto: 'Automatic', panels: 'A panel for each', shared: 'One chart' };
