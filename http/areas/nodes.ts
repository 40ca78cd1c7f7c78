import Joi from 'joi';
import type { NodeView, Operations } from '../../actors/operations.ts';
import type { Fleet } from '../../store/fleet.ts';
import { pageFrom } from '../paging.ts';
import { type Area, rowsFor } from '../row.ts';
import { Before, beforeId } from '../schemas.ts';
import { SessionSchema, toSession, Ulid } from './session-schemas.ts';

export interface NodesWorld {
  readonly operations: Operations;
  readonly fleet: Fleet;
}

const row = rowsFor<NodesWorld>();

const NodeId = Joi.string()
  .pattern(/^[\w.-]{1,64}$/)
  .example('node-1');

const NodeSchema = Joi.object<NodeView>({
  id: NodeId.required(),
  address: Joi.string().allow('').required(),
  started_at: Joi.number().integer().required(),
  heartbeat_at: Joi.number().integer().required(),
  state: Joi.string().valid('active', 'draining').required(),
  devices: Joi.number().integer().required().description("Tenants' devices that it runs"),
  blasts: Joi.number().integer().required().description('Campaigns that it runs: those that have something to do within the minute'),
  load: Joi.number().required().description('What its devices weigh together: one each, and one a message a minute'),
}).meta({ title: 'Node' });

const MoveSchema = Joi.object({ device: Ulid.required(), from: NodeId.required(), to: NodeId.required() }).meta({ title: 'Move' });
const MovesSchema = Joi.object({ moves: Joi.array().items(MoveSchema).required() });

/** api.md "Operator": the cluster. Every node answers for all. */
export const nodes: Area<NodesWorld> = {
  name: 'nodes',
  about: 'The cluster, for its operators: nodes, and which of them runs which device',
  rows: [
    row({
      id: 'listNodes',
      method: 'GET',
      path: '/v1/admin/nodes',
      summary: 'The live nodes; a draining one stays listed with what it still has',
      access: 'operator',
      status: 200,
      returns: Joi.object({ nodes: Joi.array().items(NodeSchema).required() }),
      run: async ({ operations }) => ({ nodes: await operations.nodes() }),
    }),
    row({
      id: 'drainNode',
      method: 'POST',
      path: '/v1/admin/nodes/{nodeId}/drain',
      summary: 'Move everything off a node, a few at a time; it takes nothing new',
      access: 'operator',
      params: Joi.object({ nodeId: NodeId.required() }),
      status: 202,
      returns: NodeSchema,
      refuses: ['NOT_FOUND', 'UNAVAILABLE'],
      run: ({ operations }, { params }) => operations.setState(params.nodeId, 'draining'),
    }),
    row({
      id: 'undrainNode',
      method: 'POST',
      path: '/v1/admin/nodes/{nodeId}/undrain',
      summary: 'Let a node take its share again',
      access: 'operator',
      params: Joi.object({ nodeId: NodeId.required() }),
      status: 202,
      returns: NodeSchema,
      refuses: ['NOT_FOUND', 'UNAVAILABLE'],
      run: ({ operations }, { params }) => operations.setState(params.nodeId, 'active'),
    }),
    row({
      id: 'listAllSessions',
      method: 'GET',
      path: '/v1/admin/sessions',
      summary: 'The devices of all tenants, newest first, with the node that runs each',
      access: 'operator',
      query: Joi.object<{ limit?: number; before?: number; before_id?: string }>({
        limit: Joi.number().integer().min(1).max(200),
        before: Before,
        before_id: beforeId(Ulid),
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({
        sessions: Joi.array()
          .items(SessionSchema.keys({ node: Joi.string().allow(null).required(), pinned_node: Joi.string().allow(null).required() }))
          .required(),
        next_before: Joi.number().integer().allow(null).required(),
        next_before_id: Joi.string().allow(null).required(),
      }),
      async run({ fleet }, { query, now }) {
        const { rows, next } = await pageFrom({ limit: 50, ...query }, fleet.list);
        return {
          sessions: rows.map((device) => ({ ...toSession(device, now), node: device.node, pinned_node: device.pinned_node })),
          ...next,
        };
      },
    }),
    row({
      id: 'moveSession',
      method: 'POST',
      path: '/v1/admin/sessions/{id}/move',
      summary: 'Move a device to a node and pin it there; without a node: to wherever there is most room, unpinned',
      access: 'operator',
      params: Joi.object({ id: Ulid.required() }),
      body: Joi.object<{ node?: string | null }>({ node: NodeId.allow(null) }),
      status: 202,
      returns: MoveSchema,
      refuses: ['NOT_FOUND', 'CONFLICT', 'DEVICE_TIMEOUT', 'UNAVAILABLE'],
      run: ({ operations }, { params, body }) => operations.move(params.id, body.node ?? null),
    }),
    row({
      id: 'rebalance',
      method: 'POST',
      path: '/v1/admin/rebalance',
      summary: 'Spread the devices evenly with the fewest moves; `dry_run` only shows them',
      access: 'operator',
      body: Joi.object<{ dry_run?: boolean }>({ dry_run: Joi.boolean() }),
      status: 202,
      returns: MovesSchema,
      refuses: ['UNAVAILABLE'],
      run: async ({ operations }, { body }) => ({ moves: await operations.rebalance(body.dry_run ?? false) }),
    }),
  ],
};
