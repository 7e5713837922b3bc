/** The API's contract as files: one OpenRPC document for each version, the same on every machine. */
import { readFileSync } from 'node:fs';
import { methodDefinitions } from '#methods/index';
import { describe } from '#protocol/describe';
import { versions } from '#protocol/version';

/** Where the documents are kept: below the root of the repository. */
export const rpcDirectory = new URL('../../spec/rpc/', import.meta.url);

const info = {
  title: 'Tidemark',
  programVersion: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
  rpcUrl: 'http://127.0.0.1:8080/v1/rpc',
  namespaces: ['service', 'clarify'],
};

/** The documents by file name, with default limits and addresses. */
export function rpcDocuments(): Map<string, string> {
  const definitions = methodDefinitions();
  return new Map(
    versions.map((version) => {
      const document = describe(definitions, version, info);
      return [`openrpc-${version}.json`, `${JSON.stringify(document, null, 2)}\n`];
    }),
  );
}
