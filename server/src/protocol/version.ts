/** API versions: the values of the header X-API-Version (W6). */

/** All distinct versions, oldest first. */
export const versions = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'] as const;

/** One of {@link versions}. */
export type Version = (typeof versions)[number];

/** The version used when the header is absent. */
export const versionDefault: Version = '1.1';

const synonyms: ReadonlyMap<string, Version> = new Map([
  ['1.1rc1', '1.1'],
  ['1.2alpha1', '1.2'],
  ['1.2beta1', '1.2'],
]);

/** Reads the header's value; null when no version has that name. */
export function parseVersion(text: string | undefined): Version | null {
  if (text === undefined) return versionDefault;
  return versions.find((version) => version === text) ?? synonyms.get(text) ?? null;
}

/** The versions from `first` to `last`, both included. */
export function versionsBetween(first: Version, last: Version): Version[] {
  return versions.slice(versions.indexOf(first), versions.indexOf(last) + 1);
}

/** Whether a version ignores unknown parameters, and unknown members of what is saved, instead of refusing them (W4). */
export function ignoresUnknown(version: Version): boolean {
  return versionsBetween('1.0', '1.1beta2').includes(version);
}
