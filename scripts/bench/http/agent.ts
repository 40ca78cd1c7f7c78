import { memberOf } from '../../../runtime/shapes.ts';
import { startBenchNode } from '../bench-node.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { getRequest, postRequest } from './requests.ts';
import { report } from './serve.ts';

const { node, store } = await startBenchNode();
const tenant = await aTenant(store);
await aDevice(store, tenant._id);
const key = await anApiKey(store, tenant._id);
const credentials = { Authorization: `Bearer ${key}` };

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function mcp(method: string, params: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const name = memberOf(params, 'name');
  return postRequest('/mcp', body, {
    ...credentials,
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
  });
}

const REQUESTS: Readonly<Record<string, string>> = {
  rest: getRequest('/v1/inbox?limit=25', credentials),
  tool: mcp('tools/call', { name: 'list_chats', arguments: {} }),
  list: mcp('tools/list', {}),
};
const asked = REQUESTS[process.argv[3] ?? ''] ?? '';
await report({ port: Number(new URL(node.url).port), requests: [asked], status: 200 }, { warmUp: 3_000, answers: 10_000 });
