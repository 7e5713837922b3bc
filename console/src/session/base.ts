/** Where the service is: the folder of the document, so that a path prefix needs no setting. */

/** Ends in a slash. The place in the console is behind `#` and does not count. */
export const baseUrl = new URL('.', document.baseURI).href;

/** The endpoint of calls, as clients write it down. */
export const rpcUrl = `${baseUrl}v1/rpc`;
