/** A piece of code to paste, which is filled in for one integration. */
export interface Snippet {
  id: string;
  title: string;
  /** Requirements, or where to paste the code. */
  note: string;
  code: string;
}
