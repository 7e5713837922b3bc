/** Saved views of the explorer: everyone sees all, owners change their own, and administrators may delete any (A5g). */
import type { Act } from '#model/act';
import { type Clock, clockMs } from '#model/environment';
import { AppError, conflict, invalidParams, type ParamProblems } from '#model/error';
import type { Limits } from '#model/limits';
import type { SavedView } from '#model/saved-view';
import { characterCount, compareText } from '#model/text';
import type { XidSource } from '#model/xid';
import type { MetaPart } from '#storage/meta-store';
import { changesOf, record } from '../audit/record.ts';

interface SavedViewsOptions {
  meta: MetaPart<'savedViews' | 'audit'>;
  clock: Clock;
  ids: XidSource;
  /** Limits in total and for one person (A5g); evaluated for each save. */
  limits: Pick<Limits, 'savedViewsMax' | 'savedViewsPerPersonMax'>;
}

/** Characters at most. */
const nameMax = 128;
const queryMax = 8192;

/** The saved views of one store. */
export class SavedViews {
  readonly #options: SavedViewsOptions;

  constructor(options: SavedViewsOptions) {
    this.#options = options;
  }

  /** All, by name. */
  async list(): Promise<SavedView[]> {
    const views = await this.#options.meta.savedViews.all();
    return views.sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id));
  }

  /**
   * Saves a view, replacing the owner's view of the same name. `invalid-params` at `name`, `query`; `conflict` when the limit is
   * reached.
   */
  async save({ owner, name, query }: Pick<SavedView, 'owner' | 'name' | 'query'>): Promise<SavedView> {
    checkView(name, query);
    const { meta, ids, limits } = this.#options;
    const { savedViewsMax, savedViewsPerPersonMax } = limits;
    return meta.write(async (tx) => {
      const views = await tx.savedViews.all();
      const nowMs = clockMs(this.#options.clock);
      const before = views.find((view) => view.owner === owner && view.name === name);
      if (before === undefined) {
        const own = views.filter((view) => view.owner === owner).length;
        if (own >= savedViewsPerPersonMax)
          throw tooMany(`you have ${own} saved views`, 'delete one of yours');
        if (views.length >= savedViewsMax)
          throw tooMany(`there are ${views.length} saved views`, 'delete one');
      }
      const view = { ...(before ?? { id: ids.next(), createdAtMs: nowMs }), owner, name, query };
      const saved: SavedView = { ...view, updatedAtMs: nowMs };
      await tx.savedViews.save(saved);
      return saved;
    });
  }

  /**
   * Deletes a view of this owner, or of any owner when `owner` is null. Deleting another person's view is recorded in the audit.
   * `not-found`.
   */
  async remove(act: Act, id: string, owner: string | null): Promise<void> {
    await this.#options.meta.write(async (tx) => {
      const view = await tx.savedViews.find(id);
      if (view === undefined || (owner !== null && view.owner !== owner))
        throw new AppError('not-found', `no saved view${owner === null ? '' : ' of yours'} has the ID ${id}`);
      await tx.savedViews.delete(id);
      if (act.actor === `person:${view.owner}`) return;
      const change = changesOf({ name: view.name, query: view.query, owner: view.owner }, {});
      await record(tx, act, this.#options.clock, { action: 'view.delete', target: id, change });
    });
  }
}

function checkView(name: string, query: string): void {
  const problems: ParamProblems = {};
  const length = characterCount(name);
  if (length < 1 || length > nameMax) problems.name = [`must be 1 to ${nameMax} characters, got ${length}`];
  else if (name !== name.trim() || !name.isWellFormed() || /\p{Cc}/u.test(name))
    problems.name = ['must be printable text that neither begins nor ends with a space'];
  if (query.length > queryMax)
    problems.query = [`must be at most ${queryMax} characters, got ${query.length}`];
  else if (!/^[\x21-\x7e]*$/.test(query))
    problems.query = ['must be the query of an address, percent-encoded'];
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
}

function tooMany(words: string, advice: string): AppError {
  return conflict(`${words}, which is the limit: ${advice}`);
}
