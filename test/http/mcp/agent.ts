import { memberOf } from '../../../runtime/shapes.ts';
import type { Answer, Api, Gateway } from '../../support/gateway.ts';

const META = 'io.modelcontextprotocol/';

/** One POST of a program of the revision without sessions, as its SDKs make them. */
export async function post(
  api: Api,
  method: string,
  params: object = {},
  capabilities: object = {},
  headers: object = {},
): Promise<Answer> {
  const name = memberOf(params, 'name');
  return api(
    'POST',
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 7,
      method,
      params: {
        ...params,
        _meta: {
          [`${META}protocolVersion`]: '2026-07-28',
          [`${META}clientInfo`]: { name: 'helper', version: '3' },
          [`${META}clientCapabilities`]: capabilities,
        },
      },
    },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
  );
}

/** A tool's own answer: `structuredContent`, and `isError` where it is one. */
export async function use(api: Api, name: string, args: object = {}) {
  const { body } = await post(api, 'tools/call', { name, arguments: args });
  if (body.error) return { rpc: body.error.code as number, ...body.error };
  return { ...body.result.structuredContent, ...(body.result.isError && { isError: true }) };
}

export const toolsOf = async (api: Api): Promise<string[]> =>
  (await post(api, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name);

/** A key of the tenant, as a caller. */
export async function keyFor(gateway: Gateway, owner: Api, fields: object): Promise<Api> {
  const { key } = (await owner('POST', '/v1/api-keys', { name: 'Assistant', ...fields })).body;
  return gateway.as(key);
}

/** A contact as if it had been saved a day earlier. */
export async function savedEarlier({ store, clock }: Gateway, id: string): Promise<void> {
  const contacts = store.collection({ name: 'contacts', indexes: [] });
  await contacts.updateOne({ _id: id }, { $set: { created_at: clock.now() - 24 * 3_600_000 } });
}
