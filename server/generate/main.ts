/** `npm run generate`: writes the generated files that are committed: spec/rpc/openrpc-<version>.json, and the console's table of functions. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { formulaDocument, formulaDocumentUrl } from './formula-document.ts';
import { rpcDirectory, rpcDocuments } from './rpc-documents.ts';

mkdirSync(rpcDirectory, { recursive: true });
for (const [name, text] of rpcDocuments()) {
  writeFileSync(new URL(name, rpcDirectory), text);
  console.log(`spec/rpc/${name}`);
}
writeFileSync(formulaDocumentUrl, formulaDocument());
console.log('console/src/features/formula/functions.json');
