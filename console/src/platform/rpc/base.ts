/** Where the service is: it says so in the first page, so that a path prefix needs no setting here. */

const prefix = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '.';

/** Ends in a slash. The place in the console is behind `#` and does not count. */
export const baseUrl = new URL(prefix, document.baseURI).href;

/** The endpoint of calls, as clients write it down. */
export const rpcUrl = `${baseUrl}v1/rpc`;
