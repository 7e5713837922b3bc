/** A path at which connections become WebSockets. What is refused is answered like any other request. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection } from '#load/connections';
import { asksForWebSocket, handshake } from '../web-socket/handshake.ts';
import { WebSocketStream } from '../web-socket/web-socket.ts';
import { requireSameOrigin } from './console/same-origin.ts';
import { releaseFeed } from './feed.ts';
import { HttpProblem } from './problem.ts';
import type { TrustedProxies } from './proxies.ts';
import type { HttpRoute } from './route.ts';
import { pathOf } from './router.ts';

/** Who serves the WebSockets of a path. */
export interface WebSocketService {
  path: string;
  /** The names of the protocols in them, of which a client has to name one. */
  protocols: readonly string[];
  /** Serves the stream of a client; `onKnown` is called when it is authenticated. */
  serve(stream: Duplex, address: string, onKnown: () => void): void;
}

/** Options of {@link WebSocketRoute}. */
export interface WebSocketRouteOptions {
  service: WebSocketService;
  /** Where the paths are below the host. */
  pathPrefix: string;
  /** The origin of the pages that may connect. */
  origin: string;
  proxies: TrustedProxies;
  isDraining(): boolean;
  connectionOf(request: IncomingMessage): Connection | null;
}

/** When the system checks whether an idle client is still there, ms. */
const keepAliveMs = 60_000;

/** The path. */
export class WebSocketRoute {
  readonly #options: WebSocketRouteOptions;

  constructor(options: WebSocketRouteOptions) {
    this.#options = options;
  }

  /** Answers the requests that are not accepted. */
  get route(): HttpRoute {
    const serve: HttpRoute['serve'] = async ({ request }) => {
      throw this.#refusalOf(request) ?? new HttpProblem(503, 'The service takes no connections now');
    };
    return { method: 'GET', path: this.#options.service.path, needsService: true, serve };
  }

  /** Whether a request becomes a WebSocket. */
  accepts(request: IncomingMessage): boolean {
    const { service, pathPrefix, isDraining } = this.#options;
    const path = asksForWebSocket(request) && !isDraining() ? pathOf(request.url ?? '') : null;
    if (path !== service.path && path !== pathPrefix + service.path) return false;
    return this.#refusalOf(request) === null;
  }

  /** Makes one of an accepted request. */
  begin(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { service, proxies, connectionOf } = this.#options;
    const answer = handshake(request, service.protocols);
    if (typeof answer !== 'string') return void socket.destroy();
    const { address } = proxies.clientOf(request);
    const connection = connectionOf(request);
    releaseFeed(socket);
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
    socket.write(answer);
    // When the rest of what has arrived is in the socket again.
    queueMicrotask(() => {
      service.serve(new WebSocketStream(socket, head), address, () => {
        if (connection !== null) connection.isKnown = true;
      });
    });
  }

  #refusalOf(request: IncomingMessage): HttpProblem | null {
    if (!asksForWebSocket(request))
      return new HttpProblem(426, 'This path is for WebSockets', { upgrade: 'websocket' });
    const answer = handshake(request, this.#options.service.protocols);
    if (typeof answer !== 'string') return new HttpProblem(answer.status, answer.detail, answer.headers);
    return originProblem(request, this.#options.origin);
  }
}

/** Pages of others must not connect, though they have no password: wrong ones would be counted for the address of their reader. */
function originProblem({ headers }: IncomingMessage, origin: string): HttpProblem | null {
  const header = (name: string) => headers[name]?.toString();
  try {
    requireSameOrigin({ header }, origin);
    return null;
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
}
