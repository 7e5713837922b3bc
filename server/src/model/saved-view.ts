/** Named views of the explorer, shared by all users. */

/** One saved view. */
export interface SavedView {
  id: string;
  /** Unique for each person. */
  name: string;
  /** The view as the query string of the explorer's URL. */
  query: string;
  /** The ID of the person who saved it; may have been deleted. */
  owner: string;
  createdAtMs: number;
  /** When it was last saved. */
  updatedAtMs: number;
}
