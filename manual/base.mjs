/** The path under which the manual is built. The service replaces it by the path under which browsers see the manual. */
export const base = '/manual-base/docs/';
