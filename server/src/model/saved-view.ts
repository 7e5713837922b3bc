/** What people keep of the explorer: a view under a name, for everybody to open. */

/** One saved view. */
export interface SavedView {
  id: string;
  /** Each person uses a name once. */
  name: string;
  /** Everything that it shows, as the query of the explorer's address. */
  query: string;
  /** The person who saved it; may be gone. */
  owner: string;
  createdAtMs: number;
  /** When it was saved last. */
  updatedAtMs: number;
}
