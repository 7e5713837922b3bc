/** `npm run generate`, second part: writes the types of the clients from the documents in spec/rpc. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pythonText } from './python-text.ts';
import { type RpcDocument, wireText } from './wire-text.ts';

/** The versions, oldest first. */
export const versions = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'] as const;

/** Where the types are kept. */
export const wireFile = new URL('../src/wire.ts', import.meta.url);

/** Where the types for Python are kept: those of the newest version. */
export const pythonFile = new URL('../../clients/python/tidemark/wire.py', import.meta.url);

/** The text that the documents of the repository give. */
export function currentWireText(): string {
  return wireText(versions.map(readDocument));
}

/** The text for Python that the newest document gives. */
export function currentPythonText(): string {
  return pythonText(readDocument(versions[versions.length - 1]));
}

function readDocument(version: string): RpcDocument {
  const file = new URL(`../../spec/rpc/openrpc-${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as RpcDocument;
}

if (import.meta.main) {
  writeFileSync(wireFile, currentWireText());
  writeFileSync(pythonFile, currentPythonText());
  process.stdout.write('client/src/wire.ts\nclients/python/tidemark/wire.py\n');
}
