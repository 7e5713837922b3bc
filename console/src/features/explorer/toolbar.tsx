/** The controls above the chart: the range and its steps, how points are rolled up, and how lines are drawn. */
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button, IconButton } from '../../parts/button.tsx';
import { SelectField, SwitchField } from '../../parts/field.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { printPeriod } from '../../platform/time/span.ts';
import { type Comparison, comparisons } from './compare.ts';
import { bandsMax } from './loading.ts';
import type { Span } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import { type Statistic, statistics, type View } from './view.ts';
import { isAllowed, niceWidths } from './width.ts';

/** What can be done to a view. */
export interface ViewActs {
  change(change: Partial<View>): void;
  goTo(span: Span): void;
  zoomOut(): void;
  shift(steps: number): void;
  refresh(): void;
  setLive(isLive: boolean): void;
  /** Opens the items by their labels. */
  browse(): void;
  /** Makes a picture of the chart; null while there is none. */
  picture: { current: ((title: string) => Promise<Blob>) | null };
}

/** What {@link Toolbar} takes. */
export interface ToolbarProps {
  view: View;
  span: Span;
  zone: string;
  nowMs: number;
  /** From the first to the newest point; null: unknown or none. */
  extent: Span | null;
  acts: ViewActs;
  isLoading: boolean;
  canBand: boolean;
}

/** The toolbar of a view. */
export function Toolbar(props: ToolbarProps) {
  const { view, span, acts, canBand } = props;
  return (
    <div className="explorer-bar" role="toolbar" aria-label="Range and display">
      <RangeTools {...props} />
      <div className="line bar-display">
        <RollupField rollup={view.rollup} span={span} onChange={(rollup) => acts.change({ rollup })} />
        <SelectField
          label="Value of a bucket"
          isLabelHidden
          value={view.statistic}
          onChange={(statistic) => acts.change({ statistic })}
          options={Object.entries(statistics).map(([value, text]) => ({ value: value as Statistic, text }))}
        />
        <SelectField
          label="Compare with"
          isLabelHidden
          value={view.compares}
          onChange={(compares) => acts.change({ compares })}
          options={Object.entries(comparisons).map(([value, text]) => ({ value: value as Comparison, text }))}
        />
        <Display view={view} acts={acts} canBand={canBand} />
      </div>
    </div>
  );
}

function RangeTools({ view, span, zone, nowMs, extent, acts, isLoading }: ToolbarProps) {
  return (
    <div className="line bar-range">
      <RangePicker
        range={view.range}
        span={span}
        zone={zone}
        hasOwnZone={view.zone !== null}
        firstDay={view.firstDay}
        nowMs={nowMs}
        extent={extent}
        onChange={acts.change}
      />
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
    </div>
  );
}

/** Automatic, every point, the window, or a width that the span allows. */
export function RollupField({
  rollup,
  span,
  onChange,
  needsBuckets = false,
}: {
  rollup: string;
  span: Span;
  onChange(rollup: string): void;
  needsBuckets?: boolean;
}) {
  const spanMs = span.toMs - span.fromMs;
  const widths = niceWidths.filter(
    ({ ms }) => ms <= spanMs && spanMs / ms <= 50_000 && isAllowed(ms, spanMs),
  );
  const options = [
    { value: 'auto', text: 'Automatic buckets' },
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

function Display({ view, acts, canBand }: Pick<ToolbarProps, 'view' | 'acts' | 'canBand'>) {
  return (
    <DialogTrigger>
      <Button icon="cog">
        <span className="bar-word">Display</span>
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Display options" className="display-dialog">
          <Segments
            label="Draw as"
            value={view.line}
            onChange={(line) => acts.change({ line })}
            options={[
              { value: 'auto', text: 'Automatic' },
              { value: 'line', text: 'Line' },
              { value: 'step', text: 'Step' },
              { value: 'bars', text: 'Bars' },
            ]}
          />
          {view.line === 'bars' && view.rollup === 'raw' && (
            <p className="quiet small">Bars need buckets: every point is drawn as a line.</p>
          )}
          <Segments
            label="Axes"
            value={view.axes}
            onChange={(axes) => acts.change({ axes })}
            options={[
              { value: 'auto', text: 'Automatic' },
              { value: 'panels', text: 'A panel for each' },
              { value: 'shared', text: 'One chart' },
            ]}
          />
          <SwitchField isSelected={view.hasBand} onChange={(hasBand) => acts.change({ hasBand })}>
            Min to max behind the average
          </SwitchField>
          {view.hasBand && !canBand && (
            <p className="quiet small">Not drawn for more than {bandsMax} lines.</p>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
