/** The MCP server: tools and resources over a client of the service. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Client, ServiceError } from '@tidemark/client';
import { comparePeriods, evaluate, listStates, readData } from './data-tools.ts';
import { Methods, type RpcDocument } from './document.ts';
import { describe, describeItems, findItems, selectItems } from './item-tools.ts';
import { ArgumentError, type Arguments, type Session, type Tool } from './tool.ts';
import { insertData, saveSignals } from './write-tools.ts';

/** What a server is made with. */
export interface McpOptions {
  client: Client;
  /** The integration of the credentials. */
  integration: string;
  /** Whether tools that write are offered. */
  allowWrites: boolean;
  /** The service's description of its methods. */
  document: RpcDocument;
}

const tools: readonly Tool[] = [
  findItems,
  describeItems,
  readData,
  evaluate,
  comparePeriods,
  listStates,
  saveSignals,
  insertData,
];

const instructions = `Tidemark stores time series. Find items first, then read them by their ids. Times are RFC 3339 with an offset, or UNIX seconds. Prefer rollups (data.rollup, such as "PT1H" or "P1D") to raw points, and evaluate to computing with many values yourself.`;

/** Makes a server; connect it to a transport. */
export function createMcpServer(options: McpOptions): Server {
  const server = new Server(
    { name: 'tidemark', title: 'Tidemark', version: '0.1.0' },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  offerTools(server, options);
  offerResources(server, options);
  return server;
}

function offerTools(server: Server, { document, allowWrites, ...rest }: McpOptions): void {
  const methods = new Methods(document);
  const offered = tools.filter(({ isWrite }) => allowWrites || !isWrite);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: offered.map(({ name, title, description, isWrite, ...tool }) => ({
      ...{ name, title, description, inputSchema: tool.input(methods) },
      annotations: {
        title,
        readOnlyHint: !isWrite,
        destructiveHint: isWrite,
        idempotentHint: true,
        openWorldHint: false,
      },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const tool = offered.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, `unknown tool ${JSON.stringify(params.name)}`);
    return runTool(tool, { ...rest, signal }, params.arguments ?? {}, methods);
  });
}

async function runTool(
  tool: Tool,
  session: Session,
  args: Arguments,
  methods: Methods,
): Promise<CallToolResult> {
  try {
    checkNames(args, Object.keys(tool.input(methods).properties));
    const result = await tool.run(session, args);
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof ArgumentError || error instanceof RangeError))
      throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function checkNames(args: Arguments, known: readonly string[]): void {
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ArgumentError(`unknown argument ${JSON.stringify(unknown[0])}; there are ${known.join(', ')}`);
}

const scheme = 'tidemark://items/';
const pageItems = 100;

/** Each item is a resource: its fields, and figures of the last days. */
function offerResources(server: Server, { client, integration }: McpOptions): void {
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: `${scheme}{id}`,
        name: 'item',
        description: 'An item by its id',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => {
    const filter = params?.cursor === undefined ? {} : { id: { $gt: params.cursor } };
    const { data } = await reporting(selectItems(client, { filter, sort: ['id'], limit: pageItems }, signal));
    const resources = data.map(({ id, attributes: { name, description } }) => ({
      ...{ uri: scheme + id, name, description, mimeType: 'application/json' },
    }));
    return data.length < pageItems ? { resources } : { resources, nextCursor: data[data.length - 1].id };
  });
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const id = uri.startsWith(scheme) ? uri.slice(scheme.length) : '';
    const { items } = await reporting(describe({ client, integration, signal }, [id]));
    if (items.length === 0) throw new McpError(-32002, `there is no resource ${uri}`);
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(items[0]) }] };
  });
}

async function reporting<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof ServiceError) throw new McpError(ErrorCode.InternalError, error.message);
    throw error;
  }
}
