import Joi from 'joi';
import { type Area, type Bytes, type Call, Raw, rowsFor } from '../../core/row.ts';
import type { McpServer } from '../../mcp/server.ts';

export interface McpServices {
  readonly mcp: McpServer;
}

const MAX_BYTES = 128 * 1024;

const row = rowsFor<McpServices>();

const Message = Joi.object({
  jsonrpc: Joi.string().valid('2.0').required(),
  id: Joi.alternatives(Joi.string(), Joi.number().integer()),
  method: Joi.string().required(),
  params: Joi.object().unknown(),
})
  .meta({ title: 'McpMessage' })
  .example({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

export const mcp: Area<McpServices> = {
  name: 'agents of AI',
  about: 'The gateway for AI agents over the Model Context Protocol, with fourteen tools. Each caller sees the tools that they may use',
  rows: [
    row({
      id: 'mcp',
      method: 'POST',
      path: '/mcp',
      summary: 'Serve AI agents',
      about:
        'Handle a message of the Model Context Protocol, revision 2026-07-28 or, without a session, 2025-11-25, 2025-06-18 or 2025-03-26. A tool can do what the same caller ' +
        'can do with the other endpoints; a person must confirm each send. Errors of the protocol are JSON-RPC errors, 404 for an unknown method',
      audit: { action: 'tool.call', own: true },
      stepUp: { none: 'each tool calls an endpoint, whose rule applies' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: [],
      knownOrigins: true,
      headers: ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'user-agent'],
      bytes: { types: ['application/json'], maxBytes: MAX_BYTES, describedBy: Message },
      status: 200,
      returns: Joi.object({
        jsonrpc: Joi.string().valid('2.0').required(),
        id: Joi.alternatives(Joi.string(), Joi.number().integer()),
        result: Joi.object().unknown(),
        error: Joi.object({ code: Joi.number().integer().required(), message: Joi.string().required() }).unknown(),
      })
        .meta({ title: 'McpAnswer' })
        .example({ jsonrpc: '2.0', id: 1, result: { tools: [] } }),
      run: answer,
    }),
  ],
};

async function answer({ mcp: server }: McpServices, call: Call<unknown, unknown, unknown> & { readonly body: Bytes }): Promise<Raw> {
  const { status, body } = await server.answer(call.body.bytes, call, call.header);
  return new Raw(body, body === '' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8', status);
}
