/** `npm run generate`: writes the generated files that are committed, spec/rpc/openrpc-<version>.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { rpcDirectory, rpcDocuments } from './rpc-documents.ts';

mkdirSync(rpcDirectory, { recursive: true });
for (const [name, text] of rpcDocuments()) {
  writeFileSync(new URL(name, rpcDirectory), text);
  console.log(`spec/rpc/${name}`);
}
