/** admin.deleteData over the wire, in 1.2 (R15). */
import { type Case, runCases } from './cases.ts';
import { type Call, type IdOf, logger, nobody, owner } from './plant.ts';
import { at, day, stored } from './stored.ts';

const method = 'admin.deleteData';

function deleting(params: object | ((id: IdOf) => object)): Omit<Case, 'title'> & { version: string } {
  const all = (id: IdOf) => ({ integration: owner, ...(typeof params === 'function' ? params(id) : params) });
  return { given: stored, method, version: '1.2', params: all };
}

const times = ($gte: string | null, $lt: string | null) => ({ data: { filter: { times: { $gte, $lt } } } });
const morning = times(at('06:10:00'), at('08:00:00'));
const only = (input: string) => ({ query: { filter: { input } } });
const frame: Call = { method: 'service.dataFrame', params: { data: { filter: { times: day } } } };

runCases('delete-data', [
  { title: 'R15 points of every signal in a stretch of time', ...deleting(morning) },
  { title: 'R15 are gone, and those around stay', ...frame, given: [...stored, deleting(morning)] },
  { title: 'R15 only of the signals that are selected', ...deleting({ ...only('a'), ...morning }) },
  {
    title: 'R15 the others keep theirs',
    ...frame,
    given: [...stored, deleting({ ...only('a'), ...morning })],
  },
  { title: 'W9 1.2 has a name of its own for it', ...deleting(morning), method: 'admin.data.delete' },
  { title: 'R15 a dry run answers with what would go', ...deleting({ ...morning, dryRun: true }) },
  {
    title: 'R15 and deletes nothing',
    ...frame,
    given: [...stored, deleting({ ...morning, dryRun: true })],
  },
  {
    title: 'R15 what is gone is not there to be deleted again',
    ...deleting(morning),
    given: [...stored, deleting(morning)],
  },
  { title: 'R15 everything from a time on', ...deleting(times(at('07:00:00'), null)) },
  { title: 'R15 everything before a time', ...deleting(times(null, at('07:00:00'))) },
  { title: 'R15a no bound at all', ...deleting(times(null, null)) },
  { title: 'R15a no times', ...deleting({ data: { filter: {} } }) },
  { title: 'E2 what deleting needs', ...deleting({}) },
  { title: 'R15a bounds the wrong way round', ...deleting(times(at('08:00:00'), at('07:00:00'))) },
  { title: 'R3 bounds that are no times', ...deleting(times('yesterday', '2300-01-01T00:00:00Z')) },
  { title: 'W4a a bound that there is not', ...deleting({ data: { filter: { times: { $gt: 0 } } } }) },
  { title: 'R15 no signal is selected', ...deleting({ ...only('none'), ...morning }) },
  { title: 'R13 the largest limit', ...deleting({ query: { limit: 1001 }, ...morning }) },
  { title: 'R10a no such integration', ...deleting({ integration: nobody, ...morning }) },
  { title: 'R15 another integration has its own signals', ...deleting({ integration: logger, ...morning }) },
  { title: 'W4 an unknown parameter', ...deleting({ ...morning, dryrun: true }) },
  { title: 'A5 without the grant', ...deleting(morning), as: logger },
  { title: 'W9 not in 1.1', given: stored, method, version: '1.1', params: {} },
]);
