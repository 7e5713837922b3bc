/** Signals or items of a selection, a page at a time. */
import type { Filter, ResourceQuery } from '#model/filter';

/** Which resources. */
interface Paging {
  filter: Filter;
  /** Only from this ID on; default all. */
  fromId?: string;
  /** Resources of a page. */
  pageMax: number;
}

/** Pages by ID. Each begins after the last ID of the one before: what is created or deleted meanwhile shifts nothing. */
export async function* pagesById<Resource extends { id: string }>(
  { filter, fromId = '', pageMax }: Paging,
  select: (query: ResourceQuery) => Promise<{ records: Resource[] }>,
): AsyncGenerator<Resource[], void, void> {
  let begin: Filter = { op: 'gte', path: { field: 'id' }, value: fromId };
  for (;;) {
    const filters = [begin, filter];
    const query = { sort: [], limit: pageMax, skip: 0, total: false };
    const { records: page } = await select({ ...query, filter: { op: 'and', filters } });
    if (page.length > 0) yield page;
    if (page.length < pageMax) return;
    begin = { op: 'gt', path: { field: 'id' }, value: page[page.length - 1].id };
  }
}
