/**
 * What Node allows at best for a question: a server with as many threads as the service has, each with a listener of its own, that
 * reads a request, and sends an answer it has in memory. It checks nothing, and computes nothing. Run as a child process:
 * `node answer-floor.ts PORT THREADS`, with the body of the answer on standard input.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface ThreadData {
  port: number;
  body: Uint8Array;
}

function listen({ port, body }: ThreadData, onListening: () => void): void {
  const answer = Buffer.from(body);
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  server.listen({ port, host: '127.0.0.1', reusePort: true }, onListening);
}

if (isMainThread) {
  const [port, threads] = process.argv.slice(2).map(Number);
  const data: ThreadData = { port, body: await buffer(process.stdin) };
  let listening = 0;
  const onListening = () => {
    listening++;
    if (listening === threads) process.stdout.write('listening\n');
  };
  for (let i = 1; i < threads; i++)
    new Worker(import.meta.filename, { workerData: data }).once('message', onListening);
  listen(data, onListening);
} else listen(workerData as ThreadData, () => parentPort?.postMessage('listening'));
