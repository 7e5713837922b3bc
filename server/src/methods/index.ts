/** The table of contents of the API: every operation, in every version (W9). `rpc.discover` is the protocol's own. */
import type { Method } from '#protocol/method';
import { annotateSignals } from './admin/annotate-signals.ts';
import { deleteData } from './admin/delete-data.ts';
import { importCalculation } from './admin/import-calculation.ts';
import { publishSignals } from './admin/publish-signals.ts';
import { relateSignals } from './admin/relate-signals.ts';
import { selectSignals } from './admin/select-signals.ts';
import { consoleActivity } from './console/activity.ts';
import { consoleAudit } from './console/audit-list.ts';
import { consoleCalculations } from './console/calculations.ts';
import { consoleCredentials } from './console/credentials.ts';
import { consoleIntegrations } from './console/integrations.ts';
import { consoleOperations } from './console/operations.ts';
import { consolePeople } from './console/people.ts';
import { consolePublish } from './console/publish.ts';
import { consoleRules } from './console/rules.ts';
import { consoleSettings } from './console/settings.ts';
import { consoleSignalsEdit } from './console/signals-edit.ts';
import { consoleSignalsHistory } from './console/signals-history.ts';
import { consoleSignalsRecency } from './console/signals-recency.ts';
import { consoleSignalsShape } from './console/signals-shape.ts';
import { consoleSignalsStatus } from './console/signals-status.ts';
import { consoleSizes } from './console/sizes.ts';
import { consoleViews } from './console/views.ts';
import { insert } from './integration/insert.ts';
import { saveSignals } from './integration/save-signals.ts';
import { dataFrame } from './service/data-frame.ts';
import { evaluate } from './service/evaluate.ts';
import { selectItems } from './service/select-items.ts';
import type { MethodServices } from './services.ts';

const factories = [
  insert,
  saveSignals,
  selectSignals,
  publishSignals,
  relateSignals,
  annotateSignals,
  deleteData,
  importCalculation,
  selectItems,
  dataFrame,
  evaluate,
  consolePeople,
  consoleIntegrations,
  consoleCredentials,
  consoleSignalsEdit,
  consoleSignalsHistory,
  consoleSignalsRecency,
  consoleSignalsShape,
  consoleSignalsStatus,
  consolePublish,
  consoleRules,
  consoleCalculations,
  consoleOperations,
  consoleAudit,
  consoleViews,
  consoleActivity,
  consoleSizes,
  consoleSettings,
] as const;

/** Every operation of the service, as definitions for the protocol's router. */
export function methods(services: MethodServices): Method[] {
  return factories.flatMap((define) => define(services));
}

/** The definitions without services: to name and describe the methods, not to call them. */
export function methodDefinitions(): Method[] {
  return methods({} as MethodServices);
}
