import Joi from 'joi';
import type { NodeView, Operations } from '../../../actors/services/operations/operations.ts';
import type { DeviceDirectory } from '../../../store/devices/device-directory.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Before, beforeId, Ulid } from '../../core/schemas.ts';
import { SessionSchema, toSession } from '../sessions/schemas.ts';

export interface NodesServices {
  readonly operations: Operations;
  readonly deviceDirectory: DeviceDirectory;
}

const row = rowsFor<NodesServices>();

const NodeId = Joi.string()
  .pattern(/^[\w.-]{1,64}$/)
  .example('node-1');

const NodeSchema = Joi.object<NodeView>({
  id: NodeId.required(),
  address: Joi.string().allow('').required(),
  started_at: Joi.number().integer().required(),
  heartbeat_at: Joi.number().integer().required(),
  state: Joi.string().valid('active', 'draining').required(),
  store: Joi.string()
    .valid('answers', 'doubtful', 'stepped_down')
    .allow(null)
    .required()
    .description('Whether the node reaches the store. `stepped_down`: other nodes reach it but this one does not, so it runs nothing'),
  devices: Joi.number().integer().required().description('Number of tenant devices that the node runs'),
  blasts: Joi.number().integer().required().description('Campaigns on the node that have work within the next minute'),
  load: Joi.number().required().description('Weight of its devices: one for each device, plus one for each message per minute'),
}).meta({ title: 'Node' });

const MoveSchema = Joi.object({ device: Ulid.required(), from: NodeId.required(), to: NodeId.required() }).meta({ title: 'Move' });
const MovesSchema = Joi.object({ moves: Joi.array().items(MoveSchema).required() });

export const nodes: Area<NodesServices> = {
  name: 'nodes',
  about: 'The cluster, for operators: nodes and the devices they run',
  rows: [
    row({
      id: 'listNodes',
      list: { of: 'nodes' },
      method: 'GET',
      path: '/v1/admin/nodes',
      summary: 'List the live nodes',
      about: 'List the live nodes. A draining node stays in the list with the devices that it still runs',
      access: 'operator',
      status: 200,
      returns: Joi.object({ nodes: Joi.array().items(NodeSchema).required() }),
      run: async ({ operations }) => ({ nodes: await operations.nodes() }),
    }),
    row({
      id: 'drainNode',
      method: 'POST',
      path: '/v1/admin/nodes/{nodeId}/drain',
      summary: 'Drain a node',
      about: 'Move all devices off a node, a few at a time. It accepts no new ones',
      audit: { action: 'node.drain' },
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
      summary: 'Stop draining a node',
      about: 'Stop draining a node. It accepts its share of devices again',
      audit: { action: 'node.undrain' },
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
      summary: "List all tenants' devices",
      about: 'List the devices of all tenants, newest first, with the node that runs each',
      access: 'operator',
      query: Joi.object<{ limit?: number; before?: number; before_id?: string }>({
        limit: Joi.number().integer().min(1).max(200),
        before: Before,
        before_id: beforeId(Ulid),
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({
        sessions: Joi.array()
          .items(
            SessionSchema.keys({ node: Joi.string().allow(null).required(), pinned_node: Joi.string().allow(null).required() }).meta({
              title: 'PlacedSession',
            }),
          )
          .required(),
        next_before: Joi.number().integer().allow(null).required(),
        next_before_id: Joi.string().allow(null).required(),
      }),
      async run({ deviceDirectory }, { query, now }) {
        const { entries, next } = await pageFrom(
          'operator',
          { limit: 50, ...query },
          {
            list: deviceDirectory.list,
            show: (device) => ({ ...toSession(device, now, null), node: device.node, pinned_node: device.pinned_node }),
          },
        );
        return { sessions: entries, ...next };
      },
    }),
    row({
      id: 'moveSession',
      method: 'POST',
      path: '/v1/admin/sessions/{id}/move',
      summary: 'Move a device',
      example: {},
      about: 'Move a device to a node and pin it there. Without a node, move it to the least loaded node and unpin it',
      audit: { action: 'device.move' },
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
      summary: 'Rebalance the devices',
      about: 'Rebalance the devices with the fewest moves. `dry_run` only shows the moves',
      audit: { action: 'cluster.rebalance' },
      access: 'operator',
      body: Joi.object<{ dry_run?: boolean }>({ dry_run: Joi.boolean() }),
      status: 202,
      returns: MovesSchema,
      refuses: ['UNAVAILABLE'],
      run: async ({ operations }, { body }) => ({ moves: await operations.rebalance(body.dry_run ?? false) }),
    }),
  ],
};
