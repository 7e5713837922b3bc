/** Computes a sheet at the service: its series as rows, and the faults of its formulas. */
import { RpcError } from '../../platform/rpc/rpc-error.ts';
import { durationMs } from '../../platform/time/span.ts';
import { mergeColumns, type Rows } from '../explorer/frame.ts';
import { type Cutting, dataQuery, type LoadFrame, type Request } from '../explorer/request.ts';
import { type FormulaFault, readFaults } from './language.ts';
import { itemParams, type Sheet } from './sheet.ts';

/** A sheet as it was computed. */
export interface Evaluated {
  rows: Rows;
  sheet: Sheet;
  cutting: Cutting;
  /** The usual width of a bucket, ms. */
  widthMs: number;
}

/** What is wrong with a sheet. */
export interface SheetFaults {
  /** Faults of formulas, by the place of the calculation in the sheet. */
  byCalculation: ReadonlyMap<number, readonly FormulaFault[]>;
  /** What is about something else. */
  others: readonly (readonly [path: string, message: string])[];
}

/** A sheet without fault. */
export const noFaults: SheetFaults = { byCalculation: new Map(), others: [] };

/** Places of the calculations that are sent: one that is not written yet is left out. */
function writtenPlaces({ calculations }: Sheet): number[] {
  return calculations.flatMap(({ formula }, place) => (formula.trim() === '' ? [] : [place]));
}

/** The call that computes a sheet; null when there is nothing to compute. */
export function evaluateRequest(sheet: Sheet, cutting: Cutting): Request | null {
  const calculations = writtenPlaces(sheet).map((place) => sheet.calculations[place]!);
  if (sheet.items.length === 0 && calculations.length === 0) return null;
  return {
    method: 'service.evaluate',
    params: { items: itemParams(sheet.items), calculations, data: dataQuery(cutting) },
  };
}

/** The faults in an error, at the places that calculations have in the sheet. */
export function faultsOf(error: unknown, sheet: Sheet): SheetFaults {
  if (!(error instanceof RpcError)) return noFaults;
  const places = writtenPlaces(sheet);
  const formulas = places.map((place) => sheet.calculations[place]!.formula);
  const { byCalculation, others } = readFaults(error.params, formulas);
  const placed = [...byCalculation].map(([index, faults]) => [places[index]!, faults] as const);
  return { byCalculation: new Map(placed), others };
}

/** What computing a sheet came to: the series of what is right, and the faults of what is not. */
export interface Outcome {
  evaluated: Evaluated | null;
  faults: SheetFaults;
}

/** Computes a sheet. Calculations with errors are removed round by round, so that the others can be shown. */
export async function evaluate(sheet: Sheet, cutting: Cutting, load: LoadFrame): Promise<Outcome> {
  let first: SheetFaults | null = null;
  let rest = sheet;
  for (;;) {
    const request = evaluateRequest(rest, cutting);
    if (request === null) return { evaluated: null, faults: first ?? noFaults };
    try {
      const frame = await load(request);
      const { rollup, span } = cutting;
      const widthMs = rollup === 'window' ? span.toMs - span.fromMs : (durationMs(rollup) ?? 0);
      return {
        evaluated: { rows: mergeColumns([frame]), sheet, cutting, widthMs },
        faults: first ?? noFaults,
      };
    } catch (error) {
      const faults = faultsOf(error, rest);
      // What is about something else cannot be left out.
      if (faults.byCalculation.size === 0) throw error;
      // Those of later rounds follow from what was left out.
      first ??= faults;
      rest = {
        ...rest,
        calculations: rest.calculations.map((each, place) =>
          faults.byCalculation.has(place) ? { ...each, formula: '' } : each,
        ),
      };
    }
  }
}
