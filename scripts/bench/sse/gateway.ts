import type { Viewer } from '../../../actors/stream/sight.ts';
import { openLogin } from '../../../http/logins.ts';
import { createTokens } from '../../../http/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { loginsIn } from '../../../store/logins.ts';
import { tenantsIn } from '../../../store/tenants.ts';
import { startBenchNode } from '../bench-node.ts';
import { aTenant } from '../planted.ts';
import { CLIENTS, FILLING, report } from './measure.ts';

/** Ours, whole: a node whose clients came in with tickets. */
const { node, store } = await startBenchNode({ streams_per_tenant: CLIENTS });
const tenant = await aTenant(store);
const now = systemClock.now();
const ports = { tenants: tenantsIn(store), logins: loginsIn(store), tokens: createTokens('a secret for one benchmark run only') };
const owner = { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name } as const;
const { token } = await openLogin({ ...ports, invalidate: () => {} }, owner, now);
const claims = await ports.tokens.read(token, now);
const viewer: Viewer = { ...owner, family: claims!.family, keyId: null, sessionIds: null };
const tickets = await Promise.all(Array.from({ length: CLIENTS }, () => node.live.ticket(viewer, now)));

const ID = `evt_${'0'.repeat(26)}`;
const sample = { id: ID, type: 'scheduled.sent', session_id: null, occurred_at: now, data: { scheduled_id: 'bench', message_id: FILLING } };

await report({
  port: Number(new URL(node.url).port),
  paths: tickets.map((ticket) => `/v1/events?ticket=${ticket}`),
  frameBytes: Buffer.byteLength(`id: ${ID}\nevent: scheduled.sent\ndata: ${JSON.stringify(sample)}\n\n`),
  say: () => node.live.emit(tenant._id, null, { type: 'scheduled.sent', data: { scheduled_id: 'bench', message_id: FILLING } }),
});
