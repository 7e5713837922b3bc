/** `npm run generate`, second part: writes src/wire.ts from the documents in spec/rpc. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type RpcDocument, wireText } from './wire-text.ts';

/** The versions, oldest first. */
export const versions = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'] as const;

/** Where the types are kept. */
export const wireFile = new URL('../src/wire.ts', import.meta.url);

/** The text that the documents of the repository give. */
export function currentWireText(): string {
  const documents = versions.map((version) => {
    const file = new URL(`../../spec/rpc/openrpc-${version}.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8')) as RpcDocument;
  });
  return wireText(documents);
}

if (import.meta.main) {
  writeFileSync(wireFile, currentWireText());
  process.stdout.write('client/src/wire.ts\n');
}
