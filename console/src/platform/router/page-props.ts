/** What pages have in common. */

/** What a page is given: the named parts of its path. */
export interface PageProps {
  params: Readonly<Record<string, string>>;
}
